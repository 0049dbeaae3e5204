import { expect, it } from "vitest";
import { doneOf, heldOf, waitsFor, whenOf } from "./taskTiming";

it.each([
  ["done", "look", 0, ""],
  ["blocked", "input", null, ""],
  ["in_progress", "approval", null, "Waits for your approval"],
  ["in_progress", "input", null, "Waits for your answer"],
  ["in_progress", "look", 500, "Later: view profile"],
  ["pending", "invite", 0, "Next: send invitation"],
] as const)("a task that is %s and needs %s at %s: %s", (status, needs, ready_at, shown) => {
  expect(waitsFor({ status, needs, ready_at, source: "campaign" }, 100)).toBe(shown);
});

it("does not ask the user about a task that an agent runs for", () => {
  const task = { needs: "input", ready_at: null, source: "supervisor" } as const;
  expect(waitsFor({ ...task, status: "in_progress" }, 100)).toBe("Waits for its agent");
  expect(waitsFor({ ...task, status: "done" }, 100)).toBe("");
});

const shut = { code: "daily_limit", passes: false, sentence: "Used up.", until: 9_000 };
const gate = (code: string) => ({ code, passes: false, sentence: "", until: null });

it("says when a task goes on: now, at its time, or when the gate opens", () => {
  const heldFamilies = [{ family: "invite" as const, gate: shut }];
  expect(whenOf({ status: "in_progress", needs: "look", ready_at: 0 }, heldFamilies, 1_000)).toEqual({ text: "now", gate: null });
  expect(whenOf({ status: "in_progress", needs: "look", ready_at: 61_000 }, heldFamilies, 1_000).text).toBe("in 1 min");
  expect(whenOf({ status: "in_progress", needs: "invite", ready_at: 0 }, heldFamilies, 1_000)).toEqual({ text: "held in 8 s", gate: shut });
  expect(whenOf({ status: "in_progress", needs: "invite", ready_at: 61_000 }, heldFamilies, 1_000).text).toBe("in 1 min");
  expect(whenOf({ status: "done", needs: "look", ready_at: 0 }, heldFamilies, 1_000).text).toBe("");
  expect(whenOf({ status: "in_progress", needs: "approval", ready_at: null }, heldFamilies, 1_000).text).toBe("");
});

it("does not repeat with each task what holds the whole campaign", () => {
  const families = [{ family: "look" as const, waiting: 0, gates: [gate("campaign_active"), gate("user_present")] }, { family: "invite" as const, waiting: 0, gates: [gate("campaign_active"), shut] }];
  expect(heldOf(families)).toEqual([{ family: "invite", gate: shut }]);
});

it("counts what is to be done with the leads whose task is not made yet", () => {
  expect(doneOf({ done: 7, in_progress: 2, pending: 3 }, 3)).toEqual({ done: 7, total: 15 });
  expect(doneOf({}, 0)).toEqual({ done: 0, total: 0 });
});
