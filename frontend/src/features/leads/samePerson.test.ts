import { describe, expect, it } from "vitest";
import type { AnswersGiven, IdentifiedLead, SamePersonQuestion } from "../../lib/api/generated";
import { answeredWords, answerOf, byReason, chosenAnswer, detailsOf, placeOf } from "./samePerson";

const lead = (id: string, more: Partial<IdentifiedLead> = {}): IdentifiedLead => ({
  lead_id: id,
  campaign_id: "c",
  campaign_name: "Water founders",
  full_name: "Anna Berg",
  profile_url: "https://www.linkedin.com/in/anna-berg",
  email: "",
  company: "Acme",
  job_title: "",
  contact: "nothing",
  ...more,
});
const question = (key: string, reason = "They have the same name."): SamePersonQuestion => ({
  account: "linkedin",
  key,
  shown: "d",
  kind: "same_name",
  reason,
  people: [
    { leads: [lead("a"), lead("b")], more: 0, decides: [] },
    { leads: [lead("c", { profile_url: "https://www.linkedin.com/in/anna-b-77" })], more: 0, decides: [] },
    { leads: [lead("d")], more: 0, decides: [] },
  ],
  more: 0,
  on_list: [],
});
const done = (messages_waiting: number, forbidden: AnswersGiven["forbidden"] = {}) => ({ messages_waiting, forbidden });

describe("who is the same person", () => {
  it("says where somebody is a lead and how far that came", () => {
    expect(placeOf(lead("a", { contact: "invited" }))).toBe("Water founders: invited");
    expect(placeOf(lead("a"))).toBe("Water founders: not contacted yet");
  });
  it("marks what tells people apart and leaves out what nobody has", () => {
    const details = detailsOf(question("k").people);
    expect(details.map(({ label, differs }) => [label, differs])).toEqual([["Company", false], ["Profile", true]]);
  });
  it("names all leads of those who are chosen as one person", () => {
    expect(chosenAnswer(question("k"), new Set([0, 2]))).toMatchObject({ same: null, together: [["a", "b", "d"]] });
  });
  it("binds an answer to who was shown", () => {
    expect(answerOf(question("k"), false)).toEqual({ account: "linkedin", key: "k", shown: "d", same: false, together: [] });
  });
  it("gathers questions of one kind, the most frequent first", () => {
    const groups = byReason([question("1", "A"), question("2", "B"), question("3", "B")]);
    expect(groups.map(({ reason, questions }) => [reason, questions.length])).toEqual([["B", 2], ["A", 1]]);
  });
  it("says that approved messages wait again", () => {
    expect(answeredWords([answerOf(question("k"), true)], done(1))).toBe("One person from now on. 1 approved message waits in Review again.");
    expect(answeredWords([answerOf(question("1"), false), answerOf(question("2"), false)], done(0))).toBe("2 questions answered.");
  });
  it("says who is not contacted any more", () => {
    expect(answeredWords([answerOf(question("k"), true)], done(0, { a: "c" }))).toBe("They will not be contacted in any campaign.");
  });
});
