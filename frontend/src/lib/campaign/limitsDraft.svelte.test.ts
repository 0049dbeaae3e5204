import { expect, it } from "vitest";
import type { Limits } from "../api/generated";
import { LimitsDraft } from "./limitsDraft.svelte";

const usual = { messages_a_day: 25, spacing_seconds: 0, work_days: [0], day_starts: 540, day_ends: 1080 } as unknown as Limits;
const view = { bounds: { messages_a_day: { least: 0, most: 200 } }, utc_offsets: [] };

it("keeps what the user changed when other limits are begun with", () => {
  const draft = new LimitsDraft();
  draft.base(usual, view);
  draft.set({ messages_a_day: 10 });
  draft.base({ ...usual, spacing_seconds: 90 }, view);
  expect(draft.value).toEqual({ ...usual, messages_a_day: 10, spacing_seconds: 90 });
  draft.undo();
  expect([draft.changed, draft.value?.messages_a_day]).toEqual([false, 25]);
});

it("keeps what is no time in its field, and says so", () => {
  const draft = new LimitsDraft();
  draft.base(usual, view);
  draft.setTime("day_starts", "25:99");
  expect([draft.time("day_starts"), draft.changed, Object.keys(draft.wrong)]).toEqual(["25:99", true, ["day_starts"]]);
  draft.setTime("day_starts", "8:00");
  expect([draft.time("day_starts"), draft.wrong]).toEqual(["08:00", {}]);
});
