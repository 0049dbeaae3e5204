import { expect, it } from "vitest";
import type { FeedEvent } from "../wire/generated";
import { Ahead } from "./ahead";

const event = (seq: number): FeedEvent => ({ campaign_id: "c", seq, at: 0, kind: "k", entity: "e", entity_id: "", actor: "", cause: "", changes: null });
const made = () => new Ahead<{ seq: number; seen: number[] }>((view, one) => ({ seq: one.seq, seen: [...view.seen, one.seq] }));

it("shows an event at once, and again over a load that began before it", () => {
  const ahead = made();
  const shown = ahead.event({ seq: 4, seen: [] }, event(5));
  expect(shown).toEqual({ seq: 5, seen: [5] });
  ahead.event(shown, event(6));
  expect(ahead.loaded({ seq: 5, seen: [] })).toEqual({ seq: 6, seen: [6] });
});

it("folds nothing that the load has already", () => {
  const ahead = made();
  ahead.event(null, event(3));
  expect(ahead.loaded({ seq: 7, seen: [] })).toEqual({ seq: 7, seen: [] });
  const view = { seq: 7, seen: [] };
  expect(ahead.event(view, event(7))).toBe(view);
});

it("does not fold what was overtaken into what was loaded after it", () => {
  const ahead = made();
  ahead.event({ seq: 8, seen: [] }, event(9));
  ahead.forget();
  expect(ahead.loaded({ seq: 8, seen: [] })).toEqual({ seq: 8, seen: [] });
});
