import type { FeedEvent, TurnLine } from "../../lib/api/generated";

/** A turn that has just ended, read from its event; the names of its task and lead are known from elsewhere. */
export function foldTurn(event: FeedEvent, nameOf: (task: string) => { task: string; lead: string }): TurnLine | null {
  const turn = event.changes;
  if (event.entity !== "turn" || turn === null) return null;
  const task_id = text(turn["task_id"]) || null;
  const named = task_id === null ? { task: "", lead: "" } : nameOf(task_id);
  return {
    number: Number(event.entity_id),
    faulted: Boolean(turn["faulted"]),
    proposal: text(turn["proposal"]),
    verdict: text(turn["verdict"]) || "accepted",
    said: text(turn["error"]),
    task_id,
    task: named.task,
    lead_id: text(turn["lead_id"]) || null,
    lead_name: named.lead,
    steps_us: Array.isArray(turn["steps"]) ? turn["steps"].map(Number) : [],
    model: text(turn["model"]),
    tokens_in: Number(turn["tokens_in"] ?? 0),
    tokens_out: Number(turn["tokens_out"] ?? 0),
    cost_micros: Number(turn["cost_micros"] ?? 0),
  };
}

const text = (value: unknown): string => (typeof value === "string" ? value : "");
