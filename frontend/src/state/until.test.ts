import { expect, it } from "vitest";
import { clockTime, describeUntil } from "./until";

it.each([
  [null, "until you act"],
  [1_000, "any moment"],
  [62_000, "in 1 min 1 s"],
])("describes %s as %s", (until, shown) => expect(describeUntil(until, 1_000)).toBe(shown));

it("tells the time of the campaign and not of the machine", () => {
  expect(clockTime(Date.UTC(2026, 10, 23, 8, 5), 3_600_000)).toBe("Mon 09:05");
});
