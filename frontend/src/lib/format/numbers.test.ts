import { expect, it } from "vitest";
import { bytes, plural, percent } from "./numbers";

it("counts things", () => {
  expect([plural(0, "lead"), plural(1, "lead"), plural(12_000, "lead"), plural(2, "entry", "entries")]).toEqual(["0 leads", "1 lead", "12,000 leads", "2 entries"]);
});

it("says how much in a fitting unit", () => {
  expect([0, 1, 840_000, 1_240_000, 3_400_000_000].map(bytes)).toEqual(["0 kB", "1 kB", "840 kB", "1.2 MB", "3.4 GB"]);
});

it("has no share of nothing", () => expect(percent(0, 0)).toBe("–"));
