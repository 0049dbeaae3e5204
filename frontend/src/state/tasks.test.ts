import { expect, it } from "vitest";
import { waitsFor } from "./tasks";

it.each([
  ["done", "look", 0, ""],
  ["blocked", "input", null, ""],
  ["in_progress", "approval", null, "waits for your approval"],
  ["in_progress", "input", null, "waits for your answer"],
  ["in_progress", "look", 500, "looks again"],
  ["pending", "invite", 0, "invites next"],
] as const)("a task that is %s and needs %s at %s: %s", (status, needs, ready_at, shown) => {
  expect(waitsFor({ status, needs, ready_at }, 100)).toBe(shown);
});
