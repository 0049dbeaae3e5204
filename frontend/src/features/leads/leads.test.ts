import { expect, it } from "vitest";
import type { FeedEvent, LeadLine } from "../../lib/api/generated";
import { ALL, asked, filterOf, foldLead, isSame, moves, narrowed, placing, reassigns, viewOf } from "./leads";

const row: LeadLine = {
  id: "l1", full_name: "Ada", job_title: "", company: "", status: "pending", weight_score: 50, score_reasons: [],
  priority_override: null, greeting_name: "", greeted: "", tags: [], blocked: "", active_at: null, step: "", step_number: 0, steps: 4, finished: "",
  below_least_score: false, task_status: null, needs: null, ready_at: null, cells: {},
  note: { elsewhere: "", anyway: "", doubt: "", here: false, before: false, held: false },
};
const event = (kind: FeedEvent["kind"], changes: Record<string, unknown> | null, entity_id = "l1"): FeedEvent => ({
  campaign_id: "c", seq: 1, at: 0, kind, entity: "lead", entity_id, actor: "user", cause: "x", changes,
});

it("folds what passed between the two people into one time, the latest", () => {
  const invited = foldLead(row, event("LeadAdvanced", { invited_at: 10, status: "contacted" }));
  expect(invited).toMatchObject({ active_at: 10, status: "contacted" });
  expect(foldLead(invited, event("LeadAdvanced", { accepted_at: 5 })).active_at).toBe(10);
  expect(foldLead(row, event("LeadAdvanced", { visited_at: 10 }))).toBe(row);
});

it("reads the list again only for what can move its rows", () => {
  expect(moves(event("LeadScored", { weight_score: 3, score_reasons: [] }), ALL)).toBe(true);
  expect(moves(event("LeadScored", { weight_score: 3, score_reasons: [] }), { ...ALL, sort: "name" })).toBe(false);
  expect(moves(event("LeadAdvanced", { thread_read_at: 3 }), ALL)).toBe(false);
  expect(moves(event("LeadAdvanced", { status: "contacted" }), { ...ALL, status: "pending" })).toBe(true);
  expect(moves(event("GreetingChosen", { greeting_name: "Al" }), { ...ALL, unsure: true })).toBe(true);
  expect(moves(event("GreetingChosen", { greeting_name: "Al" }), ALL)).toBe(false);
  expect(moves(event("LeadImported", { full_name: "B" }), { ...ALL, sort: "name" })).toBe(true);
  expect(moves({ ...event("ImportUndone", {}), entity: "import" }, ALL)).toBe(true);
  expect(moves({ ...event("TaskStarted", {}), entity: "task" }, ALL)).toBe(true);
});

it("is read again when somebody goes over to another campaign, or is said to be somebody else", () => {
  expect(reassigns(event("LeadContactAllowed", { contact_anyway: "moved" }))).toBe(true);
  expect(reassigns(event("LeadClaimed", { claimed_at: 1 }))).toBe(true);
  expect(reassigns({ ...event("IdentityAnswered", { same: 1 }), campaign_id: "workspace", entity: "identity_answer" })).toBe(true);
  expect(reassigns(event("LeadScored", { weight_score: 3 }))).toBe(false);
  const ofCampaign = (changes: Record<string, unknown>) => reassigns({ ...event("CampaignDeleted", changes), campaign_id: "c2", entity: "campaign" });
  expect([ofCampaign({ deleted_at: 1 }), ofCampaign({ archived_at: null }), ofCampaign({ name: "B" })]).toEqual([true, true, false]);
});

it("asks only for what is narrowed", () => {
  expect(narrowed(ALL)).toBe(false);
  expect(narrowed({ ...ALL, text: "  " })).toBe(false);
  expect(asked({ ...ALL, text: " ada ", manual: true })).toMatchObject({ sort: "priority", text: "ada", manual: true, blocked: null, unsure: null });
  expect(narrowed({ ...ALL, unsure: true })).toBe(true);
});

it("saves a filter by name, and finds it again", () => {
  const filter = { ...ALL, tag: "vip", sort: "next" as const, text: " ada " };
  const view = viewOf(" Warm ", filter);
  expect(view).toMatchObject({ name: "Warm", status: null, text: "ada" });
  expect(isSame(filterOf(view), { ...filter, text: "ada" })).toBe(true);
  expect(isSame(filterOf(view), ALL)).toBe(false);
});

it("puts a lead between the two it was dropped between", () => {
  const id = (index: number) => (index < 0 || index > 4 ? null : `l${index}`);
  expect(placing(3, 1, id)).toEqual({ above: "l0", below: "l1", upwards: true });
  expect(placing(1, 3, id)).toEqual({ above: "l3", below: "l4", upwards: false });
  expect(placing(2, 0, id)).toEqual({ above: null, below: "l0", upwards: true });
  expect(placing(2, 4, id)).toEqual({ above: "l4", below: null, upwards: false });
});
