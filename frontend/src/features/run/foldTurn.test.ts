import { expect, it } from "vitest";
import type { FeedEvent } from "../../lib/api/generated";
import { foldTurn } from "./foldTurn";

const of = (entity: string, entity_id: string, kind: FeedEvent["kind"], changes: Record<string, unknown> | null, seq = 2): FeedEvent => ({
  campaign_id: "c", seq, at: 5, kind, entity, entity_id, actor: "controller", cause: "t1", changes,
});

it("reads a turn out of its event, and what is usual is not in it", () => {
  const turn = foldTurn(of("turn", "7", "TurnCompleted", { steps: [1, 2], proposal: "no_op", task_id: "t1" }), () => ({ task: "Reach out", lead: "Ada" }));
  expect(turn).toEqual({ number: 7, faulted: false, proposal: "no_op", verdict: "accepted", said: "", task_id: "t1", task: "Reach out", lead_id: null, lead_name: "Ada", steps_us: [1, 2], model: "", tokens_in: 0, tokens_out: 0, cost_micros: 0 });
  expect(foldTurn(of("turn", "7", "TurnCompleted", null), () => ({ task: "", lead: "" }))).toBeNull();
});
