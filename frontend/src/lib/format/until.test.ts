import { expect, it } from "vitest";
import { describeUntil, mayChange } from "./until";

it.each([
  [null, "until you act"],
  [1_000, "any moment"],
  [2_000, "in 1 s"],
  [62_000, "in 2 min"],
  [3_458_000 + 1_000, "in 58 min"],
  [22_380_000 + 1_000, "in 6 h 13 min"],
  [24 * 3_600_000 + 1_000, "in 24 h"],
  [26 * 3_600_000 + 1_000, "in 26 h"],
  [71.5 * 3_600_000, "in 3 days"],
])("describes %s as %s", (until, shown) => expect(describeUntil(until, 1_000)).toBe(shown));

it("names the day of what is far off", () => {
  const now = Date.UTC(2026, 10, 28, 8, 20);
  expect(mayChange(now + 90_000, now, [{ since: 0, ms: 3_600_000 }])).toBe("May change in 2 min");
  expect(mayChange(Date.UTC(2026, 10, 30, 8), now, [{ since: 0, ms: 3_600_000 }])).toBe("Not before Mon 30 Nov, 09:00");
  expect(mayChange(null, now, [])).toBe("Until you act");
});
