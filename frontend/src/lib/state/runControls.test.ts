import { expect, it } from "vitest";
import type { RunState } from "../api/generated";
import { controls } from "./runControls";

const idle: RunState = { phase: "idle", campaign_id: null, name: "", nothing_eligible: null, once: false, until: null, away_since: null, halt: null, because: [], error: null, checks: [], told: [] };

it.each([
  ["initializing", "start", "Start"],
  ["paused", "start", "Continue"],
  ["active", "start", "Continue"],
  ["completed", null, ""],
  ["error", "recover", "Recover"],
] as const)("offers for a campaign that is %s and does not run: %s", (status, action, label) => {
  expect(controls("a", status, idle)).toMatchObject({ action, label });
});

it("stops what runs or starts, once", () => {
  expect(controls("a", "active", { ...idle, phase: "running", campaign_id: "a" }).action).toBe("stop");
  expect(controls("a", "initializing", { ...idle, phase: "starting", campaign_id: "a" }).action).toBe("stop");
  expect(controls("a", "active", { ...idle, phase: "stopping", campaign_id: "a" })).toMatchObject({ action: null, busy: true });
});

it("waits while another campaign runs", () => {
  expect(controls("a", "paused", { ...idle, phase: "running", campaign_id: "b" })).toMatchObject({ action: null, busy: true });
});

it("offers one step only while nothing runs", () => {
  expect(controls("a", "paused", idle).step).toBe(true);
  expect(controls("a", "completed", idle).step).toBe(false);
  expect(controls("a", "error", idle).step).toBe(false);
  expect(controls("a", "active", { ...idle, phase: "running", campaign_id: "a" }).step).toBe(false);
  expect(controls("a", "paused", { ...idle, phase: "running", campaign_id: "b" }).step).toBe(false);
});

it("cannot be pressed while the step is taken", () => {
  expect(controls("a", "paused", { ...idle, phase: "running", campaign_id: "a", once: true })).toMatchObject({ action: null, busy: true });
});
