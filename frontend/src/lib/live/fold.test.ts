import { expect, it } from "vitest";
import type { CampaignView, FeedEvent } from "../api/generated";
import { foldRow, foldView } from "./fold";

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

const of = (entity: string, entity_id: string, kind: FeedEvent["kind"], changes: Record<string, unknown> | null, seq = 2): FeedEvent => ({
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
