import { expect, it } from "vitest";
import { dayAndTime } from "./dates";
import { localDay, localTime, momentOf, type UtcOffsets } from "./localTime";

const HOUR = 3_600_000;
const FORWARD = Date.UTC(2026, 2, 29, 1); // where it is 02:00 and becomes 03:00
const BACK = Date.UTC(2026, 9, 25, 1); // where it is 03:00 and becomes 02:00
const BERLIN: UtcOffsets = [
  { since: Date.UTC(2025, 0, 1), ms: HOUR },
  { since: FORWARD, ms: 2 * HOUR },
  { since: BACK, ms: HOUR },
];

it("tells another day by that day's own offset", () => {
  const friday = Date.UTC(2026, 2, 27, 12);
  expect(dayAndTime(Date.UTC(2026, 2, 30, 7), friday, BERLIN)).toBe("Mon 30 Mar, 09:00");
  expect(dayAndTime(Date.UTC(2026, 9, 26, 8), Date.UTC(2026, 9, 23), BERLIN)).toBe("Mon 26 Oct, 09:00");
  expect(localDay(Date.UTC(2026, 6, 1, 22), BERLIN)).toBe(Date.UTC(2026, 6, 2) / 86_400_000);
  expect(localTime(0, BERLIN), "before the first").toBe(HOUR);
  expect(localTime(5, [])).toBe(5);
});

it("finds when the clock shows a time, also where it shows it twice or skips it", () => {
  expect(momentOf(Date.UTC(2026, 2, 30, 9), BERLIN)).toBe(Date.UTC(2026, 2, 30, 7));
  expect(momentOf(Date.UTC(2026, 9, 26, 9), BERLIN)).toBe(Date.UTC(2026, 9, 26, 8));
  expect(momentOf(Date.UTC(2026, 2, 29, 2, 30), BERLIN)).toBe(FORWARD);
  expect(momentOf(Date.UTC(2026, 9, 25, 2, 30), BERLIN)).toBe(BACK - HOUR / 2);
  expect(momentOf(Date.UTC(2026, 9, 25, 3), BERLIN)).toBe(BACK + HOUR);
  expect(momentOf(5, [])).toBe(5);
});
