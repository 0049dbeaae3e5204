import { expect, it } from "vitest";
import type { RunState } from "../api/generated";
import { controls } from "./runControls";

const idle: RunState = { phase: "idle", campaign_id: "a", name: "", nothing_eligible: null, once: false, until: null, away_since: null, halt: null, because: [], error: null, checks: [], told: [] };

it.each([
  ["initializing", "start", "Start"],
  ["paused", "start", "Continue"],
  ["active", "start", "Continue"],
  ["completed", null, ""],
  ["error", "recover", "Recover"],
] as const)("offers for a campaign that is %s and does not run: %s", (status, action, label) => {
  expect(controls(status, idle)).toMatchObject({ action, label });
});

it("stops what runs or starts, once", () => {
  expect(controls("active", { ...idle, phase: "running" }).action).toBe("stop");
  expect(controls("initializing", { ...idle, phase: "starting" }).action).toBe("stop");
  expect(controls("active", { ...idle, phase: "stopping" })).toMatchObject({ action: null, busy: true });
});

it("offers one step only while nothing runs", () => {
  expect(controls("paused", idle).step).toBe(true);
  expect(controls("completed", idle).step).toBe(false);
  expect(controls("error", idle).step).toBe(false);
  expect(controls("active", { ...idle, phase: "running" }).step).toBe(false);
});

it("cannot be pressed while the step is taken", () => {
  expect(controls("paused", { ...idle, phase: "running", once: true })).toMatchObject({ action: null, busy: true });
});
