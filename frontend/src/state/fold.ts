import type { CampaignStatus, CampaignView, FeedEvent, TaskRow, TurnLine, TurnState } from "../wire/generated";

/** `ready_at` of a task that only a person or another task can wake. */
const NEVER = 2 ** 53;

/**
 * Fold an event into a row that is shown: the columns it changed that the row has. The same fold as the server's, for the
 * part of the state that a page holds. The row itself when the event is not about it, or says nothing the row shows.
 */
export function foldRow<Row extends { id: string }>(row: Row, event: FeedEvent): Row {
  if (event.entity_id !== row.id || event.changes === null) return row;
  const changed = Object.entries(event.changes).filter(([name, value]) => name in row && row[name as keyof Row] !== value);
  return changed.length === 0 ? row : { ...row, ...Object.fromEntries(changed) };
}

/** Fold an event into what all screens of a campaign share: the campaign itself, and how far its turns are. */
export function foldView(view: CampaignView, event: FeedEvent): CampaignView {
  if (event.campaign_id !== view.id) return view;
  const next = { ...view, seq: event.seq, now: Math.max(view.now, event.at) };
  const changes = event.changes;
  if (event.entity === "turn") {
    const faulted = Boolean(changes?.["faulted"]);
    next.position = { ...view.position, turn: Number(event.entity_id), state: faulted ? "Faulted" : "Idle", action: "" };
  } else if (event.entity === "runtime" && typeof changes?.["state"] === "string") {
    next.position = { ...view.position, state: changes["state"] as TurnState };
  } else if (event.entity === "campaign" && changes !== null) {
    if (typeof changes["status"] === "string") next.status = changes["status"] as CampaignStatus;
    if (typeof changes["status_reason"] === "string") next.status_reason = changes["status_reason"];
  }
  return next;
}

/** A turn that has just ended, as its event tells it; the names of its task and lead are known from elsewhere. */
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

/** Fold an event into a task that is shown: its own columns, its preconditions, what was found of its commitments. */
export function foldTask(row: TaskRow, event: FeedEvent): TaskRow {
  switch (event.entity) {
    case "task": {
      const before = kept(row.before, (one) => foldRow(one, event));
      const folded = foldRow(before === row.before ? row : { ...row, before }, event);
      return folded.ready_at !== null && folded.ready_at >= NEVER ? { ...folded, ready_at: null } : folded;
    }
    case "commitment": {
      const commitments = kept(row.commitments, (one) => foldRow(one, event));
      return commitments === row.commitments ? row : { ...row, commitments };
    }
    case "input_request": {
      const questions = row.questions.filter((one) => one.id !== event.entity_id || event.kind !== "InputAnswered");
      return questions.length === row.questions.length ? row : { ...row, questions };
    }
    default:
      return row;
  }
}

/** The same list if nothing in it changed. */
function kept<Row>(rows: Row[], how: (row: Row) => Row): Row[] {
  const after = rows.map(how);
  return after.every((row, index) => row === rows[index]) ? rows : after;
}
