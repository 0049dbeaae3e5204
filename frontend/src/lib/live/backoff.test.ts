import { expect, it } from "vitest";
import { backoff } from "./backoff";

it.each([
  [0, 250],
  [1, 500],
  [4, 4_000],
  [5, 5_000],
  [60, 5_000],
])("waits before attempt %d for %d ms", (attempt, wait) => {
  expect(backoff(attempt)).toBe(wait);
});
