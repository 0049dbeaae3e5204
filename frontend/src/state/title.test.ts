import { expect, it } from "vitest";
import type { RunState } from "../wire/generated";
import { titleOf } from "./title";

const run: RunState = {
  phase: "running",
  campaign_id: "c",
  name: "Spring",
  once: false,
  asleep: null,
  until: null,
  away_since: null,
  halt: null,
  because: [],
  error: null,
};

it.each([
  [{ phase: "idle" }, "Leads · Outrider"],
  [{}, "Running: Spring · Outrider"],
  [{ phase: "starting" }, "Running: Spring · Outrider"],
  [{ phase: "stopping" }, "Stopping: Spring · Outrider"],
  [{ asleep: { until: null, held: [] } }, "Waiting: Spring · Outrider"],
  [{ away_since: 1, asleep: { until: null, held: [] } }, "Paused: Spring · Outrider"],
  [{ name: "two\nlines" }, "Running: two lines · Outrider"],
])("%o is told as %s", (changes, title) => {
  expect(titleOf("Leads · Outrider", { ...run, ...changes } as RunState)).toBe(title);
});

it("is never longer than a title may be", () => {
  expect(titleOf("", { ...run, name: "x".repeat(500) })).toHaveLength(200);
});
