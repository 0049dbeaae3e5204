import { expect, it } from "vitest";
import { asLastDay, endOfDay } from "./lastDays";

const HOUR = 3_600_000;

it("keeps a last day as the moment at which it is over by Outrider's clock, whatever the browser's shows", () => {
  const changed = Date.UTC(2026, 2, 29, 1);
  for (const hours of [-11, 0, 5.5, 14]) {
    const offsets = [{ since: 0, ms: hours * HOUR }, { since: changed, ms: (hours + 1) * HOUR }];
    for (const day of ["2026-03-28", "2026-03-29", "2026-12-31", "2028-02-29"])
      expect(asLastDay(endOfDay(day, offsets), offsets)).toBe(day);
    expect(endOfDay("2026-12-31", offsets)).toBe(Date.UTC(2027, 0, 1) - (hours + 1) * HOUR);
  }
  expect([endOfDay("", []), asLastDay(null, [])]).toEqual([null, ""]);
});
