import { expect, it } from "vitest";
import type { TimelineRow } from "../../lib/api/generated";
import { nameOf } from "./entries";

function entry(subject: Partial<TimelineRow["subject"]> = {}): TimelineRow {
  const full = { lead_id: "", lead: "", task_id: "", task: "", message_id: "", what: "", ...subject };
  return { seq: 1, at: 0, kind: "X", entity: "lead", entity_id: "x", actor: "controller", cause: "t1", payload: {}, erased: false, subject: full, sentence: "X", tone: "plain" };
}

it("finds the name of what a history is about", () => {
  const rows = [entry(), entry({ lead_id: "L", lead: "Ada", task_id: "T", task: "Reach out" })];
  expect([nameOf("L", rows), nameOf("T", rows), nameOf("Z", rows), nameOf("", rows)]).toEqual(["Ada", "Reach out", "", ""]);
});
