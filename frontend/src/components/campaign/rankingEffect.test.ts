import { expect, test } from "vitest";
import { band, movement, tallest } from "./rankingEffect";

test("ranks, bands and scales are told in few characters", () => {
  expect([movement(5, 2), movement(2, 1202), movement(1, 1)]).toEqual(["▲ 3", "▼ 1,200", ""]);
  expect([band(0), band(9)]).toEqual(["0–9", "90–100"]);
  expect(tallest([0, 3], [7])).toBe(7);
  expect(tallest([0])).toBe(1);
});
