import { expect, it } from "vitest";
import type { FeedEvent } from "../api/generated";
import { PendingEvents } from "./pendingEvents";

const event = (seq: number): FeedEvent => ({ campaign_id: "c", seq, at: 0, kind: "LeadNoted", entity: "e", entity_id: "", actor: "", cause: "", changes: null });
const made = () => new PendingEvents<{ seq: number; seen: number[] }>((view, event) => ({ seq: event.seq, seen: [...view.seen, event.seq] }));

it("shows an event at once, and again over a load that began before it", () => {
  const pending = made();
  const shown = pending.add({ seq: 4, seen: [] }, event(5));
  expect(shown).toEqual({ seq: 5, seen: [5] });
  pending.add(shown, event(6));
  expect(pending.applyTo({ seq: 5, seen: [] })).toEqual({ seq: 6, seen: [6] });
});

it("folds nothing that the load has already", () => {
  const pending = made();
  pending.add(null, event(3));
  expect(pending.applyTo({ seq: 7, seen: [] })).toEqual({ seq: 7, seen: [] });
  const view = { seq: 7, seen: [] };
  expect(pending.add(view, event(7))).toBe(view);
});

it("does not fold events whose place others took into what was loaded after it", () => {
  const pending = made();
  pending.add({ seq: 8, seen: [] }, event(9));
  pending.forget();
  expect(pending.applyTo({ seq: 8, seen: [] })).toEqual({ seq: 8, seen: [] });
});
