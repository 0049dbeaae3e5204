import { expect, it } from "vitest";
import type { FeedEvent, TaskRow } from "../../lib/api/generated";
import { foldTask } from "./foldTask";

const of = (entity: string, entity_id: string, kind: FeedEvent["kind"], changes: Record<string, unknown> | null, seq = 2): FeedEvent => ({
  campaign_id: "c", seq, at: 5, kind, entity, entity_id, actor: "controller", cause: "t1", changes,
});

const task = {
  id: "t1", status: "in_progress", ready_at: 3, before: [{ id: "t0", description: "", status: "pending" }],
  commitments: [{ id: "p1", status: "open", detail: "", checked_at: null }], questions: [{ id: "q1" }],
} as unknown as TaskRow;

it("folds what becomes of a task, of what comes before it, of its commitments and of its questions", () => {
  expect(foldTask(task, of("task", "t1", "TaskAdvanced", { ready_at: 2 ** 53, needs: "approval" })).ready_at).toBeNull();
  expect(foldTask(task, of("task", "t0", "TaskCompleted", { status: "done" })).before[0]?.status).toBe("done");
  expect(foldTask(task, of("commitment", "p1", "CommitmentChecked", { status: "passed", checked_at: 9 })).commitments[0]).toMatchObject({ status: "passed", checked_at: 9 });
  expect(foldTask(task, of("commitment", "p1", "CommitmentWithdrawn", { status: "withdrawn" })).commitments).toEqual([]);
  expect(foldTask(task, of("input_request", "q1", "InputAnswered", { status: "answered" })).questions).toEqual([]);
  expect(foldTask(task, of("task", "other", "TaskCompleted", { status: "done" }))).toBe(task);
  expect(foldTask(task, of("lead", "t1", "LeadScored", { status: "x" }))).toBe(task);
});
