import { describe, expect, it } from "vitest";
import type { TimelineRow } from "../../wire/generated";
import { nameOf, sentence, weight } from "./sentences";

type Given = Partial<Omit<TimelineRow, "subject">> & { subject?: Partial<TimelineRow["subject"]> };

function entry(kind: string, given: Given = {}): TimelineRow {
  const subject = { lead_id: "", lead: "", task_id: "", task: "", message_id: "", what: "", ...given.subject };
  const empty = { seq: 1, at: 0, kind, entity: "lead", entity_id: "x", actor: "controller", cause: "t1", payload: {}, erased: false, large: false };
  return { ...empty, ...given, subject };
}

const clara = { lead: "Clara Yilmaz" };
const invited = { ...clara, what: "invitation" };

describe("an event in plain words", () => {
  it.each<[string, Given, string]>([
    ["MessageSent", { subject: invited }, "Invitation to Clara Yilmaz sent"],
    ["MessageDrafted", { subject: invited, payload: { text: "Hi" } }, "Draft written for Clara Yilmaz (invitation)"],
    ["MessageCancelled", { subject: { ...clara, what: "message" }, payload: { reason: "rejected by the user" } }, "Message to Clara Yilmaz cancelled: rejected by the user"],
    ["TurnCompleted", { entity_id: "38", payload: { proposal: "generate_message" } }, "Turn 38: generate_message accepted"],
    ["TurnCompleted", { entity_id: "9", payload: { proposal: "no_op", verdict: "not_now", error: "Nothing to do." }, subject: clara }, "Turn 9: no_op not now for Clara Yilmaz: Nothing to do."],
    ["TurnFaulted", { entity_id: "3", payload: { error: "No answer." } }, "Turn 3 failed: No answer."],
    ["ReplyReceived", { subject: clara, payload: { text: "Yes,\n  gladly" } }, "Clara Yilmaz replied: “Yes, gladly”"],
    ["LeadAdvanced", { subject: clara, payload: { visited_at: 5, sequence_step: 1 } }, "Profile of Clara Yilmaz visited"],
    ["LeadAdvanced", { subject: clara, payload: { accepted_at: 5, visited_at: 5 } }, "Clara Yilmaz accepted the invitation"],
    ["LeadPrioritised", { subject: clara, payload: { priority_override: null } }, "Priority of Clara Yilmaz is by score again"],
    ["TaskAdvanced", { subject: { task: "Reach out to Clara" }, payload: { needs: "approval" } }, "“Reach out to Clara” now needs your approval"],
    ["CommitmentChecked", { subject: { task: "Score" }, payload: { status: "failed", detail: "2 leads have none" } }, "Not verified for “Score”: 2 leads have none"],
    ["ImportFinished", { subject: { what: "a.csv" }, payload: { accepted: 12, merged: 0, rejected: 1 } }, "Import of a.csv finished: 12 accepted, 1 rejected"],
    ["RuntimeChanged", { payload: { loop_enabled: 0 } }, "The loop was switched off"],
  ])("%s", (kind, given, said) => expect(sentence(entry(kind, given))).toBe(said));

  it("says less, and nothing wrong, when the content was erased", () => {
    expect(sentence(entry("ReplyReceived", { payload: null, erased: true, subject: clara }))).toBe("Clara Yilmaz replied");
    expect(sentence(entry("LeadImported", { payload: null, erased: true }))).toBe("a lead imported");
  });

  it("says what it can of a kind that it does not know", () => {
    expect(sentence(entry("LeadSnoozedAgain", { subject: clara }))).toBe("Lead snoozed again: Clara Yilmaz");
  });

  it("cuts what is long", () => {
    expect(sentence(entry("ReplyReceived", { payload: { text: "x".repeat(10_000) } })).length).toBeLessThan(150);
  });
});

describe("an audit entry in plain words", () => {
  it.each<[string, Given["payload"], string]>([
    ["proposal", { raw: '{"type":"no_op","task_id":"t"}' }, "Reply of the model as received: no_op"],
    ["proposal", { raw: "I would rather not." }, "Reply of the model as received: no JSON"],
    ["proposal", { raw: "[1]" }, "Reply of the model as received: no proposal"],
    ["browser.read_profile", { outcome: "ok", us: 5 }, "Read the profile of Clara Yilmaz"],
    ["browser.send_invitation", { outcome: "confirmed: Sent." }, "Sent an invitation to Clara Yilmaz: confirmed: Sent."],
    ["verification", { done: false, checks: [{ passed: true }, { passed: false }] }, "Not verified: “a task” (1 of 2 passed)"],
    ["cli.run", {}, "Cli.run: Clara Yilmaz"],
  ])("%s", (kind, payload, said) => {
    expect(sentence(entry(kind, { entity: "", payload: payload ?? null, subject: clara }))).toBe(said);
  });
});

it("finds the name of what a history is about", () => {
  const rows = [entry("X"), entry("Y", { subject: { lead_id: "L", lead: "Ada", task_id: "T", task: "Reach out" } })];
  expect([nameOf("L", rows), nameOf("T", rows), nameOf("Z", rows), nameOf("", rows)]).toEqual(["Ada", "Reach out", "", ""]);
});

it("marks what is worth a second look", () => {
  const marks = ["MessageFailed", "IncidentOpened", "IncidentCleared", "MessageSent", "TurnCompleted", "turn_failed"].map((kind) => weight(entry(kind)));
  expect(marks).toEqual(["bad", "bad", "plain", "good", "plain", "bad"]);
});
