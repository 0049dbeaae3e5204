import { expect, it } from "vitest";
import { clockDay, clockTime, describeUntil } from "./until";

it.each([
  [null, "until you act"],
  [1_000, "any moment"],
  [62_000, "in 1 min 1 s"],
])("describes %s as %s", (until, shown) => expect(describeUntil(until, 1_000)).toBe(shown));

it("tells the time of the campaign and not of the machine", () => {
  expect(clockTime(Date.UTC(2026, 10, 23, 8, 5), 3_600_000)).toBe("Mon 09:05");
});

it("names the day once the weekday would not tell it", () => {
  const now = Date.UTC(2026, 5, 10, 12);
  expect(clockDay(now - 86_400_000, now, 0)).toBe("Tue 12:00");
  expect(clockDay(Date.UTC(2026, 5, 1, 23, 30), now, 3_600_000)).toBe("2 Jun 2026");
});
