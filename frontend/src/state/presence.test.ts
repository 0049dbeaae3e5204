import { expect, it } from "vitest";
import { shouldTell } from "./presence";

it.each([
  [true, 0, 15_000, true],
  [true, 0, 14_999, false],
  [true, 60_000, 90_000, false],
  [false, 0, 90_000, false],
])("visible %s, idle %d ms, told %d ms ago: %s", (visible, idle, since, tells) => {
  expect(shouldTell(visible, idle, since)).toBe(tells);
});
