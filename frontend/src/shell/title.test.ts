import { expect, it } from "vitest";
import type { RunState } from "../lib/api/generated";
import { titleOf } from "./title";

const run: RunState = {
  phase: "running",
  campaign_id: "c",
  name: "Spring",
  once: false,
  nothing_eligible: null,
  until: null,
  away_since: null,
  halt: null,
  because: [],
  error: null,
  checks: [], told: [],
};

it.each([
  [{}, "Running: Spring · Outrider"],
  [{ phase: "starting" }, "Running: Spring · Outrider"],
  [{ phase: "stopping" }, "Stopping: Spring · Outrider"],
  [{ nothing_eligible: { until: null, held_reasons: [], model_silent_since: null } }, "Waiting: Spring · Outrider"],
  [{ away_since: 1, nothing_eligible: { until: null, held_reasons: [], model_silent_since: null } }, "Paused: Spring · Outrider"],
  [{ name: "two\nlines" }, "Running: two lines · Outrider"],
])("%o is told as %s", (changes, title) => {
  expect(titleOf("Leads · Outrider", [{ ...run, ...changes } as RunState])).toBe(title);
});

it("is the page's own while nothing runs, and counts what runs beside the first", () => {
  expect(titleOf("Leads · Outrider", [])).toBe("Leads · Outrider");
  expect(titleOf("Leads · Outrider", [run, run, run])).toBe("Running: Spring and 2 more · Outrider");
});

it("is never longer than a title may be", () => {
  expect(titleOf("", [{ ...run, name: "x".repeat(500) }])).toHaveLength(200);
});
