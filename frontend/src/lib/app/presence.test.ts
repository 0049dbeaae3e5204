import { expect, it } from "vitest";
import { shouldReport } from "./presence";

it.each([
  [true, null, 0, true],
  [true, true, 15_000, true],
  [true, true, 14_999, false],
  [true, false, 0, true],
  [false, true, 0, true],
  [false, false, 90_000, false],
])("visible %s, told %s %d ms ago: %s", (visible, reported, since, tells) => {
  expect(shouldReport(visible, reported, since)).toBe(tells);
});
