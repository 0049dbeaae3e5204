import { expect, test } from "vitest";
import type { Condition, RequestedStep } from "../api/generated";
import { conditionWords, endOfBranch, headings, isWhole, newCondition, opposite, otherwise } from "./conditions";

const step = (...only_if: Condition[]): RequestedStep => ({ key: "", kind: "message", after_days: 0, template: "Hi", variants: [], only_if });
const ACCEPTED = newCondition("accepted", []);
const VIP = { ...newCondition("tag", []), value: "VIP" };

test("a branch is told by headings: if, otherwise, and one within another", () => {
  const steps = [step(), step(ACCEPTED), step(ACCEPTED), step(opposite(ACCEPTED)), step(opposite(ACCEPTED), VIP), step()];
  expect(steps.map((_, index) => headings(steps, index).map((heading) => `${heading.depth} ${heading.text}`))).toEqual([
    [],
    ["0 If they accept within 7 days"],
    [],
    ["0 Else: they do not accept within 7 days"],
    ["1 If they have the tag “VIP”"],
    [],
  ]);
  expect([0, 1, 3, 4].map((index) => endOfBranch(steps, index))).toEqual([1, 5, 5, 5]);
});

test("a condition says itself in words, and what it lacks", () => {
  const field = { ...newCondition("field", ["job_title"]), value: "CTO" };
  expect(conditionWords(field)).toBe("job title is “CTO”");
  expect(conditionWords(opposite({ ...field, compare: "contains" }))).toBe("job title does not contain “CTO”");
  expect(conditionWords({ ...field, compare: "empty", value: "", negated: true })).toBe("job title is not empty");
  expect(conditionWords(opposite(newCondition("connected", [])))).toBe("they are not connected already");
  expect([isWhole(ACCEPTED), isWhole(VIP), isWhole({ ...VIP, value: " " }), isWhole(newCondition("connected", []))]).toEqual([true, true, false, true]);
});

test("otherwise is a step behind the branch for the others, and the end for who does not accept", () => {
  const steps = [step(), step(VIP), step(VIP), step(ACCEPTED)];
  expect(otherwise(steps, 0)).toBe(null);
  expect(otherwise(steps, 1)).toEqual({ at: 3, kind: "message", only_if: [opposite(VIP)] });
  expect(otherwise(steps, 3)).toEqual({ at: 4, kind: "end", only_if: [opposite(ACCEPTED)] });
});
