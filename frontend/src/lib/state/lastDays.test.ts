import { expect, it } from "vitest";
import { asLastDay, endOfDay } from "./lastDays";

it("keeps a last day as the moment at which it is over", () => {
  for (const day of ["2026-03-29", "2026-12-31", "2028-02-29"]) expect(asLastDay(endOfDay(day))).toBe(day);
  expect(endOfDay("2026-12-31")).toBe(new Date(2027, 0, 1).getTime());
  expect([endOfDay(""), asLastDay(null)]).toEqual([null, ""]);
});
