import { describe, expect, it } from "vitest";
import { formatDuration } from "./duration";

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

describe("formatDuration", () => {
  it.each([
    [0, "0 ms"],
    [0.4, "0 ms"],
    [999.9, "999 ms"],
    [second, "1.0 s"],
    [2_490, "2.4 s"],
    [9_999, "9.9 s"],
    [10 * second, "10 s"],
    [minute - 1, "59 s"],
    [minute, "1 min"],
    [3 * minute + 5 * second, "3 min 5 s"],
    [hour - 1, "59 min 59 s"],
    [2 * hour + 10 * minute + 59 * second, "2 h 10 min"],
    [day - 1, "23 h 59 min"],
    [day, "1 d"],
    [3 * day + 4 * hour, "3 d 4 h"],
  ])("shows %d milliseconds as %s", (milliseconds, shown) => {
    expect(formatDuration(milliseconds)).toBe(shown);
  });

  it.each([[-1], [Number.NaN], [Number.POSITIVE_INFINITY]])("shows no number for %d", (milliseconds) => {
    expect(formatDuration(milliseconds)).toBe("–");
  });
});
