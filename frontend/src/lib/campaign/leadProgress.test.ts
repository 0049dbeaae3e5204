import { expect, it } from "vitest";
import { leadProgress } from "./leadProgress";

it("adds up to the whole", () => {
  const progress = leadProgress({ pending: 6, contacted: 4, responded: 2 });
  expect(progress.total).toBe(12);
  expect(progress.reached).toBe(6);
  expect(progress.segments.reduce((sum, segment) => sum + segment.share, 0)).toBeCloseTo(100);
});

it("shows an empty campaign as empty", () => {
  expect(leadProgress({})).toMatchObject({ total: 0, reached: 0 });
  expect(leadProgress({}).segments.every((segment) => segment.share === 0)).toBe(true);
});
