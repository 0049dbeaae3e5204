import { expect, it } from "vitest";
import type { CampaignView, FeedEvent, TaskRow } from "../wire/generated";
import { foldRow, foldTask, foldTurn, foldView } from "./fold";

const event = (entity_id: string, changes: Record<string, unknown> | null): FeedEvent => ({
  campaign_id: "c", seq: 1, at: 0, kind: "LeadAdvanced", entity: "lead", entity_id, actor: "controller", cause: "t1", changes,
});
const lead = { id: "l1", status: "pending", tags: [] as string[] };

it("takes over what changed, and only the columns that the row has", () => {
  expect(foldRow(lead, event("l1", { status: "contacted", sequence_step: 1 }))).toEqual({ ...lead, status: "contacted" });
});

it("leaves other rows, and rows of which nothing shown changed, the very same", () => {
  expect(foldRow(lead, event("l2", { status: "contacted" }))).toBe(lead);
  expect(foldRow(lead, event("l1", { sequence_step: 1 }))).toBe(lead);
  expect(foldRow(lead, event("l1", null))).toBe(lead);
});

const of = (entity: string, entity_id: string, kind: string, changes: Record<string, unknown> | null, seq = 2): FeedEvent => ({
  campaign_id: "c", seq, at: 5, kind, entity, entity_id, actor: "controller", cause: "t1", changes,
});

const view = {
  id: "c", seq: 1, now: 1, status: "active", status_reason: "",
  position: { state: "ExecutingActions", turn: 6, action: "browser.send_message" },
} as unknown as CampaignView;

it("shows a turn that ended, a state and a status without asking the server", () => {
  const after = foldView(view, of("turn", "7", "TurnCompleted", { history: "WLPAC" }));
  expect(after).toMatchObject({ seq: 2, position: { turn: 7, state: "Idle", action: "" } });
  expect(foldView(view, of("turn", "7", "TurnFaulted", { faulted: 1 })).position.state).toBe("Faulted");
  expect(foldView(view, of("runtime", "c", "RuntimeChanged", { state: "Sleeping" })).position.state).toBe("Sleeping");
  expect(foldView(view, of("campaign", "c", "CampaignPaused", { status: "paused", status_reason: "lunch" }))).toMatchObject({ status: "paused", status_reason: "lunch" });
});

it("leaves the view of another campaign alone", () => {
  expect(foldView(view, { ...of("turn", "7", "TurnCompleted", {}), campaign_id: "d" })).toBe(view);
});

it("reads a turn out of its event, and what is usual is not in it", () => {
  const turn = foldTurn(of("turn", "7", "TurnCompleted", { steps: [1, 2], proposal: "no_op", task_id: "t1" }), () => ({ task: "Reach out", lead: "Ada" }));
  expect(turn).toEqual({ number: 7, faulted: false, proposal: "no_op", verdict: "accepted", said: "", task_id: "t1", task: "Reach out", lead_id: null, lead_name: "Ada", steps_us: [1, 2], model: "", tokens_in: 0, tokens_out: 0, cost_micros: 0 });
  expect(foldTurn(of("turn", "7", "TurnCompleted", null), () => ({ task: "", lead: "" }))).toBeNull();
});

const task = {
  id: "t1", status: "in_progress", ready_at: 3, before: [{ id: "t0", description: "", status: "pending" }],
  commitments: [{ id: "p1", status: "open", detail: "", checked_at: null }], questions: [{ id: "q1" }],
} as unknown as TaskRow;

it("folds what becomes of a task, of what comes before it, of its commitments and of its questions", () => {
  expect(foldTask(task, of("task", "t1", "TaskAdvanced", { ready_at: 2 ** 53, needs: "approval" })).ready_at).toBeNull();
  expect(foldTask(task, of("task", "t0", "TaskCompleted", { status: "done" })).before[0]?.status).toBe("done");
  expect(foldTask(task, of("commitment", "p1", "CommitmentChecked", { status: "passed", checked_at: 9 })).commitments[0]).toMatchObject({ status: "passed", checked_at: 9 });
  expect(foldTask(task, of("input_request", "q1", "InputAnswered", { status: "answered" })).questions).toEqual([]);
  expect(foldTask(task, of("task", "other", "TaskCompleted", { status: "done" }))).toBe(task);
  expect(foldTask(task, of("lead", "t1", "LeadScored", { status: "x" }))).toBe(task);
});
