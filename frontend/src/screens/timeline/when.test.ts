import { expect, it } from "vitest";
import { ago, fullTime, shortTime } from "./when";

const NOON = Date.UTC(2026, 5, 1, 12, 0, 9);

it("tells the time on the campaign's own clock", () => {
  expect(shortTime(NOON, 0)).toBe("1 Jun 12:00");
  expect(fullTime(NOON, 2 * 3_600_000)).toBe("1 Jun 2026, 14:00:09");
  expect(shortTime(NOON, -13 * 3_600_000)).toBe("31 May 23:00");
});

it("tells how long ago in one unit", () => {
  expect(ago(NOON, NOON + 1_000)).toBe("now");
  expect(ago(NOON, NOON + 8_400)).toBe("8 s ago");
  expect(ago(NOON, NOON + 3 * 60_000 + 5_000)).toBe("3 min ago");
  expect(ago(NOON, NOON + 76 * 3_600_000)).toBe("3 d ago");
  expect(ago(NOON + 1, NOON)).toBe("now");
});
