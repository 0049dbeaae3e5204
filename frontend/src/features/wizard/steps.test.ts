import { describe, expect, it } from "vitest";
import { newCondition, opposite } from "../../lib/campaign/conditions";
import { comingWords, contactsWords, due, filledOf, firstProblem, gaps, newStep, problems, readBy, sampleReaders, withStep } from "./steps";
import type { DraftState } from "./steps";

const step = (kind: "invitation" | "message", after_days = 0) => newStep(kind, after_days, "Hi");
const whole: DraftState = {
  name: "Talks", goal: "A view", topic: "", lacksConsent: false, leads: "later", steps: [step("invitation")], limits: {},
  preview: { people: [{ steps: [{ text: "Hi", length: 2, limit: 200, problem: "", missing: [], uses: [], doubtful: [] }] }], problem: "", scoring: [], ramp: [] },
};

it("finds nothing wrong with a whole campaign, also before its texts were looked at", () => {
  expect(firstProblem(whole)).toBe(null);
  expect(firstProblem({ ...whole, preview: null })).toBe(null);
});

it("says in which step something is wrong", () => {
  expect(problems({ ...whole, name: "  " }, "goal")).toHaveProperty("name");
  expect(firstProblem({ ...whole, goal: "" })).toBe("goal");
  expect(firstProblem({ ...whole, lacksConsent: true })).toBe("limits");
  expect(problems({ ...whole, limits: { day_ends: "Later." } }, "limits")).toEqual({ day_ends: "Later." });
  expect(firstProblem({ ...whole, leads: "none" })).toBe("leads");
  expect(firstProblem({ ...whole, leads: "unreadable" })).toBe("leads");
  expect(problems({ ...whole, leads: "nobody" }, "leads")["leads"]).toBe("Nobody in the file matches your filter.");
  expect(firstProblem({ ...whole, leads: "file" })).toBe(null);
  expect(firstProblem({ ...whole, steps: [] })).toBe("sequence");
  const bad = { people: [{ steps: [{ text: "", length: 0, limit: 200, problem: "It is empty.", missing: [], uses: [], doubtful: [] }] }], problem: "", scoring: [], ramp: [] };
  expect(firstProblem({ ...whole, preview: bad })).toBe("sequence");
  expect(problems({ ...whole, preview: { people: [], problem: "Only the first.", scoring: [], ramp: [] } }, "sequence")["steps"]).toBe("Only the first.");
});

it("asks what it is about only if a message cannot do without it", () => {
  expect(problems({ ...whole, topic: "A talk \u202ein May" }, "goal")["topic"]).toContain("hidden character that must not be sent (U+202E)");
  expect(problems({ ...whole, topic: "A\u200btalk in May" }, "goal")).toEqual({});
  const says = { ...whole, steps: [newStep("message", 0, "Hi {first_name}, { topic }")] };
  expect(problems(says, "sequence")).toHaveProperty("topic");
  expect(problems({ ...says, topic: "A talk in May." }, "sequence")).toEqual({});
  expect(problems({ ...whole, steps: [newStep("message", 0, "Hi {topics}, {topic|how are you?}")] }, "sequence")).toEqual({});
});

it("puts an invitation first and a message last", () => {
  expect(withStep([step("message")], "invitation", "x").map((step) => step.kind)).toEqual(["invitation", "message"]);
  expect(withStep([step("invitation")], "message", "x").at(-1)).toEqual(newStep("message", 3, "x"));
  expect(withStep([], "message", "x")[0]?.after_days).toBe(0);
});

it("says when a step is due", () => {
  const steps = [step("invitation"), step("message"), step("message", 3)];
  expect(steps.map((_, index) => due(steps, index))).toEqual([
    "first",
    "as soon as the invitation is accepted",
    "3 days after the previous message, if there is no reply",
  ]);
});

it("counts a step from the last one that the same people get, and takes no condition that is not finished", () => {
  const tag = { ...newCondition("tag", []), value: "VIP" };
  const steps = [
    step("message"),
    { ...step("message", 2), only_if: [tag] },
    { ...step("message"), only_if: [opposite(tag)] },
    { ...newStep("end", 0, ""), only_if: [opposite(tag)] },
  ];
  expect(steps.map((_, index) => due(steps, index)).slice(1)).toEqual([
    "2 days after the previous message, if there is no reply",
    "as soon as the previous message is sent",
    "nothing more goes out",
  ]);
  const other = [{ ...step("message"), only_if: [tag] }, { ...step("message"), only_if: [opposite(tag)] }];
  expect(due(other, 1)).toBe("first");
  expect(firstProblem({ ...whole, steps })).toBe(null);
  expect(problems({ ...whole, steps: [{ ...step("message"), only_if: [newCondition("tag", [])] }] }, "sequence")["steps"]).toContain("not finished");
});

const message = (uses: string[], missing: string[]) => ({ text: "Hi", length: 2, limit: 200, problem: "", uses, missing, doubtful: [] as string[] });

it("shows each message for each of the people, and none for somebody who was not asked about yet", () => {
  const people = [{ steps: [message([], [])] }, { steps: [{ ...message([], []), text: "Hello" }] }];
  const readers = ["Ada", "Ben", "Cara"].map((name) => ({ name, company: "" }));
  const read = readBy(readers, { people, problem: "", scoring: [], ramp: [] }, 0);
  expect(read.map((message) => [message.name, message.text])).toEqual([["Ada", "Hi"], ["Ben", "Hello"]]);
  expect(readBy(readers, null, 0)).toEqual([]);
});

describe("what is not known", () => {
  const read = (uses: string[], missing: string[]) => [{ ...message(uses, missing), name: "Ada", company: "" }];
  const file = { lacking: { company: 12, email: 300 }, good: 1_320, forecast: { duplicates: 20 }, whole: true };
  it("is counted over the file, for what the message cannot do without", () => {
    expect(gaps(read(["company", "first_name"], []), file)).toEqual([
      "{company}: 12 of 1,300 people have none. You will be asked about each, or write {company|other words}.",
    ]);
    expect(gaps(read([], []), file)).toEqual([]);
    const doubtful = read([], []).map((message) => ({ ...message, doubtful: ["[Team]"] }));
    expect(gaps(doubtful, file)).toEqual(["This may be a placeholder: [Team]. Each message with it is approved by itself."]);
    expect(gaps(read(["company"], []), { ...file, whole: false })[0]).toContain("12 of the first 1,300 people");
  });
  it("is told of the people shown when the file does not say it, once for all of them", () => {
    expect(gaps(read(["job_title"], ["job_title"]), null)[0]).toContain("{job_title}: It is not known of Ada");
    const several = [...read(["topic"], ["topic"]), { ...message(["topic"], ["topic"]), name: "Ben", company: "" }];
    expect(gaps(several, file)).toEqual([expect.stringContaining("It is not known of Ada, Ben.")]);
  });
});

const none = { duplicates: 0 };

it("offers only variables that the file fills for somebody", () => {
  expect(filledOf(["company", "email", "topic"], { lacking: { company: 3, email: 2 }, good: 3, forecast: none })).toEqual(["email", "topic"]);
  expect(filledOf(["company"], null)).toEqual(["company"]);
});

it("says how many people are contacts already", () => {
  expect(contactsWords({ contacts: 3, good: 1_200, forecast: none, whole: true })).toBe("3 people in the file are your contacts already.");
  expect(contactsWords({ contacts: 50, good: 51, forecast: { duplicates: 1 }, whole: false })).toBe("Everyone in the first rows is your contact already.");
});

it("shows the texts for people who would get them: where there is an invitation, for people who can be invited", () => {
  const person = (full_name: string) => ({ line: 2, full_name, job_title: "", company: "", email: "", profile_url: "", connected_on: "", greeted: "", more: {} });
  const file = { readers: [person("Contact"), person("Stranger")], readers_to_invite: [person("Stranger")] };
  const names = (steps: Parameters<typeof sampleReaders>[0], of = file) => sampleReaders(steps, of).map((lead) => lead.full_name);
  expect(names([step("invitation"), step("message")])).toEqual(["Stranger"]);
  expect(names([step("message")])).toEqual(["Contact", "Stranger"]);
  expect(names([step("invitation")], { ...file, readers_to_invite: [] })).toEqual(["Contact", "Stranger"]);
  expect(sampleReaders([step("invitation")], null)).toEqual([]);
});

it("says how many have the least score, the score itself included", () => {
  const counts = Array.from({ length: 101 }, (_, score) => ({ 0: 5, 49: 2, 50: 1 })[score] ?? 0);
  expect(comingWords({ counts, whole: true }, 0)).toBe("8 of 8 people have that score or more.");
  expect(comingWords({ counts, whole: true }, 49)).toBe("3 of 8 people have that score or more.");
  expect(comingWords({ counts, whole: false }, 50)).toBe("1 of 8 people among the first rows has that score or more.");
  expect(comingWords({ counts, whole: true }, 100)).toBe("0 of 8 people have that score or more.");
});
