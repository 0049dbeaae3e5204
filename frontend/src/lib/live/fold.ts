import type { CampaignStatus, CampaignView, FeedEvent, TurnState } from "../api/generated";

/**
 * Fold an event into a row that is shown: the columns it changed that the row has. The same fold as the server's, for the
 * part of the state that a page holds. The row itself when the event is not about it, or says nothing the row shows.
 */
export function foldRow<Row extends { id: string }>(row: Row, event: FeedEvent): Row {
  if (event.entity_id !== row.id || event.changes === null) return row;
  const changed = Object.entries(event.changes).filter(
    ([name, value]) => name in row && row[name as keyof Row] !== value,
  );
  return changed.length === 0 ? row : { ...row, ...Object.fromEntries(changed) };
}

/** Fold an event into what all screens of a campaign share: the campaign itself, and how far its turns are. */
export function foldView(view: CampaignView, event: FeedEvent): CampaignView {
  if (event.campaign_id !== view.id) return view;
  const next = { ...view, seq: event.seq, now: Math.max(view.now, event.at) };
  const changes = event.changes;
  if (event.entity === "turn") {
    const faulted = Boolean(changes?.["faulted"]);
    next.position = {
      ...view.position,
      turn: Number(event.entity_id),
      state: faulted ? "Faulted" : "Idle",
      action: "",
    };
  } else if (event.entity === "runtime" && typeof changes?.["state"] === "string") {
    next.position = { ...view.position, state: changes["state"] as TurnState };
  } else if (event.entity === "campaign" && changes !== null) {
    if (typeof changes["status"] === "string") next.status = changes["status"] as CampaignStatus;
    if (typeof changes["status_reason"] === "string") next.status_reason = changes["status_reason"];
  }
  return next;
}
