import { expect, it } from "vitest";
import type { LeadLine } from "../../lib/api/generated";
import { ARRANGED, chosen, fitting, heldBy, layout, movedColumn, nextOf, shown, stepOf } from "./columns";

const lead: LeadLine = {
  id: "l1", full_name: "Ada", job_title: "", company: "", status: "pending", weight_score: 50, score_reasons: [],
  priority_override: null, greeting_name: "", greeted: "", tags: [], blocked: "", active_at: null, step: "hello_again", step_number: 2, steps: 4, finished: "",
  below_least_score: false, task_status: "in_progress", needs: "message", ready_at: 100, cells: {},
  note: { elsewhere: "", anyway: "", doubt: "", here: false, before: false, held: false },
};

it("keeps the chosen columns in their order and leaves out what nobody knows", () => {
  expect(chosen(["score", "nonsense", "field:shoe_size", "title"]).map((column) => column.title)).toEqual(["Score", "Shoe size", "Title"]);
  expect(chosen(ARRANGED.columns)).toHaveLength(ARRANGED.columns.length);
});

it("never gives the name less than its width, and scrolls sideways below the sum of all", () => {
  const { template, least } = layout(chosen(["title", "activity"]));
  expect(template).toBe("1.5rem 1.25rem minmax(11rem, 2.5fr) minmax(8.5rem, 2fr) 5.5rem");
  expect(least).toBe(3.5 + 11 + 8.5 + 5.5 + 3);
});

it("leaves out what there is no room for: first what stands under the name anyway, then from the right", () => {
  const all = chosen(ARRANGED.columns);
  const fit = (width: number) => fitting(all, width).map((column) => column.id);
  const { least } = layout(all);
  expect(fit(least)).toEqual(ARRANGED.columns);
  expect(fit(least - 0.1)).toEqual(["title", "step", "next", "activity", "score", "tags"]);
  expect(fit(49)).toEqual(["step", "next", "activity", "score"]);
  expect(fit(24)).toEqual(["step"]);
  expect(fit(10)).toEqual([]);
  expect(fitting(chosen(["next", "activity"]), 23).map((column) => column.id)).toEqual(["activity"]);
});

it("moves a column by places, and not beyond an end", () => {
  expect(movedColumn(["a", "b", "c"], "c", -1)).toEqual(["a", "c", "b"]);
  expect(movedColumn(["a", "b", "c"], "a", -1)).toEqual(["a", "b", "c"]);
  expect(movedColumn(["a", "b", "c"], "a", 5)).toEqual(["b", "c", "a"]);
});

it("says in words where a lead stands and what comes next", () => {
  expect(stepOf(lead, { hello_again: "Message 2" })).toBe("2 of 4 · Message 2");
  expect(stepOf({ ...lead, finished: "no reply" }, {})).toBe("Done: no reply");
  expect(stepOf({ ...lead, step_number: 0 }, {})).toBe("");
  expect(nextOf(lead, 200)).toEqual({ what: "Send message", when: "now", blocked: false });
  expect(nextOf({ ...lead, needs: "approval", ready_at: null }, 0)).toMatchObject({ what: "Waits for your approval", when: "" });
  expect(nextOf({ ...lead, task_status: null, needs: null }, 0).what).toBe("Waiting");
  expect(nextOf({ ...lead, task_status: null, needs: null, below_least_score: true }, 0)).toEqual({ what: "Below your least score", when: "", blocked: true });
  expect(nextOf({ ...lead, blocked: "skipped" }, 0)).toEqual({ what: "Skipped", when: "", blocked: true });
});

it("says of whom nothing goes out to that they are with another campaign or asked about, planned or not", () => {
  const elsewhere = { elsewhere: "With “Water founders” since 12 Nov: invited.", anyway: "", doubt: "", here: false, before: false, held: true };
  for (const blocked of ["", "in_touch_elsewhere"])
    expect(nextOf({ ...lead, blocked, note: elsewhere }, 0)).toEqual({ what: "With another campaign", when: "", blocked: true });
  expect(nextOf({ ...lead, note: { ...elsewhere, doubt: "They share a mailbox." } }, 0).what).toBe("Same person?");
  expect(nextOf({ ...lead, note: { ...elsewhere, here: true } }, 0).what).toBe("Here twice");
  expect(nextOf({ ...lead, blocked: "answered_before", note: { ...elsewhere, before: true } }, 0).what).toBe("In touch before");
  expect(heldBy({ ...lead, note: { ...elsewhere, held: false } })).toBe("");
  expect(heldBy({ ...lead, blocked: "skipped", note: elsewhere })).toBe("");
});

it("leaves out a column of its own rather than scroll, but none that the user chose", () => {
  const titles = (ids: readonly string[], width: number, more = {}) => shown(ids, width, more).map((column) => column.id);
  expect(titles(ARRANGED.columns, 66.4, { tags: false })).toEqual(["title", "company", "step", "next", "activity", "score"]);
  expect(titles(ARRANGED.columns, 100)).toEqual(ARRANGED.columns);
  expect(layout(shown(ARRANGED.columns, 44)).least).toBeLessThanOrEqual(44);
  const own = [...ARRANGED.columns, "email"];
  expect(titles(own, 44, { tags: false })).toEqual(own);
  expect(layout(shown(own, 44, { beside: true })).least).toBeLessThanOrEqual(44);
});
