import { expect, it } from "vitest";
import { draftFrom, draftText } from "./keptDraft";
import type { KeptDraft } from "./keptDraft";
import { newStep } from "./steps";
import { newCondition } from "../../lib/campaign/conditions";

const DRAFT: KeptDraft = {
  key: "k",
  step: "sequence",
  name: "Autumn talks",
  goal: "Find editors.",
  topic: "",
  site: "practice",
  model: "scripted",
  later: false,
  preset: "own",
  picked: true,
  steps: [{ ...newStep("message", 3, "Hi {first_name}"), only_if: [{ ...newCondition("tag", []), value: "" }] }],
  limits: { changes: { messages_a_day: 10_000 }, notTimes: { day_ends: "17:" } },
  file: { name: "a.csv", ticket: "t", mapping: { full_name: "Who" }, encoding: null, sheet: "", filter: { title: "cto", company: "", tag: "", not_in_touch: true }, write_again: false },
};

it("is kept as it was typed, also what is not finished or wrong", () => {
  expect(draftFrom(draftText(DRAFT))).toEqual(DRAFT);
});

it("is begun anew where it is not understood", () => {
  const stored = draftText(DRAFT);
  for (const text of ["", "{", "null", "[]", stored.replace('"version":1', '"version":0'), stored.replace('"sequence"', '"people"'), stored.replace('"steps":[', '"stages":[')])
    expect(draftFrom(text)).toBeNull();
});

it("goes on with steps that could say less when they were written", () => {
  const { variants, only_if, ...older } = newStep("message", 3, "Hi");
  const { unknown, ...condition } = newCondition("connected", []);
  const text = JSON.stringify({ version: 1, ...DRAFT, steps: [{ ...older, only_if: [condition] }] });
  expect(draftFrom(text)?.steps).toEqual([{ ...older, variants, only_if: [{ ...condition, unknown }] }]);
  expect(only_if).toEqual([]);
});
