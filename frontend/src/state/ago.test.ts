import { expect, it } from "vitest";
import { ago, bytes } from "./ago";

it("says how long ago in one unit", () => {
  expect([-5, 0, 59_999, 60_000, 3_599_999, 3_600_000, 90_000_000].map(ago)).toEqual([
    "just now", "just now", "just now", "1 min ago", "59 min ago", "1 h ago", "1 d ago",
  ]);
});

it("says how much in a fitting unit", () => {
  expect([0, 1, 840_000, 1_240_000, 3_400_000_000].map(bytes)).toEqual(["0 kB", "1 kB", "840 kB", "1.2 MB", "3.4 GB"]);
});
