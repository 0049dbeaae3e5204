import { expect, it } from "vitest";
import type { ConflictView } from "../../../lib/api/generated";
import { linkOf, sidesOf, waitsThere } from "./conflicts";

function conflict(command: string, more: Partial<ConflictView> = {}): ConflictView {
  return {
    id: "s1", campaign_id: "c1", campaign: "Autumn", decided_at: 1, queued_at: 2, command, arguments: {},
    kind: "LeadNoted", subject: "", sentence: "", mine: {}, theirs: {}, again: true, device: "", ...more,
  };
}

it("leads to what a decision is about", () => {
  const cases: [ConflictView, string][] = [
    [conflict("leads.note", { arguments: { campaign_id: "c1", lead_id: "l/1" } }), "#/campaigns/c1/leads/l%2F1"],
    [conflict("review.approve", { arguments: { campaign_id: "c1", message_id: "m1" } }), "#/campaigns/c1/review/m1"],
    [
      conflict("leads.do_not_contact", { campaign_id: "workspace", arguments: { campaign_id: "c1", lead_id: "l1" } }),
      "#/campaigns/c1/leads/l1",
    ],
    [
      conflict("artifacts.keep", { arguments: { artifact_type: "note", key: "a b" } }),
      "#/campaigns/c1/artifacts/note/a%20b",
    ],
    [conflict("campaigns.edit"), "#/campaigns/c1/setup"],
    [conflict("workspace.keep", { arguments: { name: "look" } }), "#/settings"],
    [conflict("", { kind: "ImportFinished" }), ""],
    [conflict("", { device: "Laptop", arguments: { lead_id: "l1" } }), "#/campaigns/c1/leads/l1"],
  ];
  for (const [conflict, link] of cases) expect(linkOf(conflict)).toBe(link);
});

it("shows both sides' values as people read them", () => {
  const cases: [string, ConflictView["mine"], ConflictView["theirs"], string, string][] = [
    ["leads.note", { notes: "my_text" }, { notes: "[theirs]" }, "my_text", "[theirs]"],
    ["leads.tag", { tags: ["a", "b"] }, { tags: ["c"] }, "a, b", "c"],
    ["leads.prioritise", { priority_override: 90 }, { priority_override: null }, "90", ""],
    ["leads.do_not_contact", { blocked: "do_not_contact" }, { blocked: "" }, "do not contact", ""],
    ["workspace.keep", { value: '{"theme":"dark"}' }, { value: '{"theme":"li' }, "theme: dark", '{"theme":"li'],
    ["campaigns.edit", { invitations_a_day: 3, name: "a_b" }, { invitations_a_day: 4, name: "x" },
      "invitations a day: 3; name: a_b", "invitations a day: 4; name: x"],
    ["keys.keep", {}, {}, "", ""],
    ["rankings.take_back", { counts: 0 }, { counts: 1 }, "the round does not count", "the round counts"],
  ];
  for (const [command, mine, theirs, left, right] of cases) {
    expect(sidesOf(conflict(command, { mine, theirs }))).toEqual({ mine: left, theirs: right });
  }
});

it("says that nothing goes out only of a decision that holds somebody's messages back", () => {
  expect(waitsThere(conflict("", { device: "Laptop" }))).toBe("It waits on “Laptop” for your choice.");
  expect(waitsThere(conflict("", { device: "Laptop", arguments: { lead_id: "l1" } }))).toMatch(/nothing goes out to the person/);
});
