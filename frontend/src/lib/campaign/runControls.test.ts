import { expect, it } from "vitest";
import type { RunState } from "../api/generated";
import { controls, standsStill, stateShown } from "./runControls";

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

it("says of a campaign that is on and not run that it waits for the user, as after a kill, and of no other", () => {
  const on = { status: "active", status_reason: "", state: { name: "Waiting" as const, detail: "Until 09:01: spacing", remedy: "", until: 5 } };
  expect(standsStill(on, idle, false)).toBe(true);
  expect(stateShown(on, idle, false)).toEqual({ name: "Waiting for you", detail: "Outrider was closed.", remedy: "", until: null });
  const drafts = { ...on, state: { ...on.state, name: "Waiting for you" as const, detail: "2 messages to approve.", until: null } };
  expect(stateShown(drafts, idle, false).detail).toBe("Outrider was closed. 2 messages to approve.");
  const stopped = { ...on, state: { ...on.state, name: "Stopped" as const } };
  expect(stateShown(stopped, idle, false)).toBe(stopped.state);
  for (const [run, shared] of [[{ ...idle, phase: "running" }, false], [{ ...idle, halt: "handed_over" }, true], [idle, true]] as const) {
    expect(standsStill(on, run, shared)).toBe(false);
    expect(stateShown(on, run, shared)).toBe(on.state);
  }
});

it.each(["paused", "active"])("says that a campaign stands still which is %s and held for a reason", (status) =>
  expect(standsStill({ status, status_reason: "Outrider was closed" }, idle, true)).toBe(true));
