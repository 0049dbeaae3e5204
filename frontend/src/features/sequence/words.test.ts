import { expect, test } from "vitest";
import type { DifferenceView, GroupDifference, RequestedSequence, RequestedStep } from "../../lib/api/generated";
import { checkSentences, consequence, shares, titleOf, waitBefore, whatDiffers, whereNow } from "./words";

const step = (key: string, kind: RequestedStep["kind"], after_days = 0): RequestedStep => ({ key, kind, after_days, template: kind === "wait" || kind === "end" ? "" : "Hi", variants: [], only_if: [] });
const sequence = (...steps: RequestedStep[]): RequestedSequence => ({ steps, accept_within_days: 21, final_wait_days: 5 });
const BEFORE = sequence(step("visit", "visit"), step("invite", "invitation"), step("hello", "message"), step("late", "message", 3));

test("a step is called by what it does, and messages by their number", () => {
  expect(BEFORE.steps.map((_, index) => titleOf(BEFORE.steps, index))).toEqual([
    "View the profile",
    "Invite with a note",
    "Message 1",
    "Message 2",
  ]);
  expect(waitBefore(BEFORE, 2)).toBe("until accepted, at most 21 days; then immediately");
  expect(waitBefore(BEFORE, 3)).toBe("3 days later, if there is no reply");
});

test("what a template lacks is said with how many", () => {
  const check = { limit: 200, people: 276, longest: 231, too_long: 2, unfilled: 4, missing: { topic: 4 }, otherwise: {}, doubtful: ["[Team]"], problem: "" };
  expect(checkSentences(check).map((sentence) => sentence.text)).toEqual([
    "Longest for 276 people: 231 of 200 characters.",
    "2 are too long.",
    "This may be a placeholder: [Team]. Each message with it is approved by itself.",
    "4 people have no {topic}. You will be asked about each, or write {topic|other words}.",
  ]);
});

test("the difference says where people are and what they get instead", () => {
  const after = sequence(step("visit", "visit"), step("invite", "invitation"), step("hello", "message", 2));
  const group: GroupDifference = {
    standing: "running",
    next: "hello",
    next_after: "hello",
    people: 12,
    changes: [
      { key: "late", kind: "message", change: "removed", days: 3, days_before: 3 },
      { key: "hello", kind: "message", change: "wait", days: 2, days_before: 0 },
    ],
    texts_again: 1,
    approvals_fall: 1,
    waits_change: false,
    concerned: true,
  };
  const difference: DifferenceView = {
    steps: after,
    concerned: 12,
    untouched: 26,
    texts_again: 1,
    approvals_fall: 1,
    restored: 0,
    in_flight: 0, variants: [], conditions: [],
    groups: [group],
  };
  expect(whereNow(group, BEFORE)).toBe("Before Message 1");
  expect(whatDiffers(group, BEFORE, difference)).toEqual([
    "do not get Message 2",
    "Message after 2 days instead of 0",
    "1 message rewritten, 1 approval gone",
  ]);
  expect(consequence(difference, BEFORE)).toBe("1 message rewritten · 1 approval withdrawn; the message returns to Review · 26 people are past it or unaffected");
  const cutOff = { ...difference, groups: [{ ...group, next_after: "not_connected" }] };
  expect(consequence(cutOff, BEFORE)).toMatch(/^\d+ (person finishes|people finish) for good: not connected · 1 message rewritten/);
  const warned = "an undo does not bring back whoever finishes by then";
  expect(consequence(cutOff, BEFORE)).toContain(warned);
  expect(consequence({ ...difference, groups: [{ ...group, next_after: "" }] }, BEFORE)).toContain(warned);
  const waits = (days: number) => ({ ...difference, steps: { ...after, accept_within_days: days }, groups: [{ ...group, waits_change: true }] });
  expect(consequence(waits(3), BEFORE)).toContain(warned);
  expect(consequence(waits(30), BEFORE)).not.toContain(warned);
});

test("how many get which variant is one line a step", () => {
  const variants = [
    { step: "hello", variant: "a", people: 12, others: 0 },
    { step: "hello", variant: "b", people: 9, others: 9 },
  ];
  expect(shares({ steps: BEFORE, variants, conditions: [{ step: "hello", yes: 3, no: 2, later: 1 }] } as unknown as DifferenceView)).toEqual(["Message 1: 3 match, 2 do not, 1 not decided yet", "Message 1: A for 12, B for 9 (9 would have got another)"]);
});
