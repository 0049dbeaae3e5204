import { expect, it } from "vitest";
import type { FeedEvent } from "../wire/generated";
import { foldRow } from "./fold";

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
