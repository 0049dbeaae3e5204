import { expect, test } from "vitest";
import type { Criterion, FeedEvent } from "../../lib/api/generated";
import { balanced, foldRun, problemOf, ruleOf, RULES, sameCriteria, total, typed, usable, words } from "./scoring";

const criterion = (weight: number, more: Partial<Criterion> = {}): Criterion => ({
  name: "Titles", weight, rule: { rule: "keywords", fields: ["job_title"], match: "any", words: ["cto"], partly: [], part: 50 }, ...more,
});
const event = (kind: FeedEvent["kind"], changes: FeedEvent["changes"], id = "s1"): FeedEvent => ({
  campaign_id: "c", seq: 1, at: 1, kind, entity: "scoring", entity_id: id, actor: "controller", cause: "", changes,
});

test("words are typed between commas or on lines, each once whatever its case", () => {
  expect(words(" CTO, chief technology officer\n cto;; vp ,")).toEqual(["CTO", "chief technology officer", "vp"]);
  expect(words(typed(["a", "b c"]))).toEqual(["a", "b c"]);
});

test("balanced weights come to 100, keep their order and leave nobody without", () => {
  for (const weights of [[50, 50], [1, 1, 1], [0, 0, 0], [100, 1], [33, 33, 33, 1], [60, 60, 60], [7], Array.from({ length: 20 }, (_, n) => n)]) {
    const after = balanced(weights.map((weight) => criterion(weight)));
    expect(total(after)).toBe(100);
    expect(after.every(({ weight }) => weight >= 1 && Number.isInteger(weight))).toBe(true);
    const pairs = after.flatMap((a, i) => after.map((b, j) => [weights[i]! - weights[j]!, a.weight - b.weight] as const));
    expect(pairs.every(([was, is]) => was <= 0 || is >= 0)).toBe(true);
  }
  expect(balanced([criterion(40), criterion(60)]).map(({ weight }) => weight)).toEqual([40, 60]);
  expect(balanced([])).toEqual([]);
});

test("a criterion says what it still lacks", () => {
  const bad: [Partial<Criterion>, RegExp][] = [
    [{ name: " " }, /name/],
    [{ weight: 0 }, /weight/],
    [{ weight: 1.5 }, /weight/],
    [{ rule: { rule: "keywords", fields: [], match: "any", words: ["a"], partly: [], part: 50 } }, /field/],
    [{ rule: { rule: "keywords", fields: ["a"], match: "any", words: [], partly: [], part: 50 } }, /word/],
    [{ rule: { rule: "keywords", fields: ["a"], match: "any", words: ["…"], partly: [], part: 50 } }, /“…”/],
    [{ rule: { rule: "keywords", fields: ["a"], match: "any", words: ["a"], partly: [], part: 100 } }, /part/],
    [{ rule: { rule: "range", field: "a", low: null, high: null } }, /bound/],
    [{ rule: { rule: "range", field: "a", low: 2, high: 1 } }, /above/],
    [{ rule: { rule: "range", field: "a", low: 1.5, high: null } }, /whole/],
    [{ rule: { rule: "recency", field: "a", half_life_days: 0 } }, /half-life/],
    [{ rule: { rule: "one_of", field: "a", values: [] } }, /value/],
    [{ rule: { rule: "one_of", field: "", values: ["a"] } }, /field/],
  ];
  for (const [more, expected] of bad) expect(problemOf(criterion(10, more))).toMatch(expected);
  expect(problemOf(criterion(10))).toBe("");
  expect(usable([criterion(100)])).toBe(true);
  expect(usable([criterion(99)])).toBe(false);
  expect(usable([])).toBe(false);
});

test("every kind of rule can be begun and says what it lacks", () => {
  for (const { kind } of RULES) expect(ruleOf(kind, "company").rule).toBe(kind);
  expect(problemOf(criterion(10, { rule: ruleOf("completeness", "company") }))).toBe("");
  expect(sameCriteria([criterion(1)], [criterion(1)])).toBe(true);
  expect(sameCriteria([criterion(1)], [criterion(2)])).toBe(false);
});

test("a scoring is followed from its start to its end, and a new one takes its place", () => {
  let run = foldRun(null, event("ScoringStarted", { blueprint: 2, leads: 40 }));
  run = foldRun(run, event("ScoringAdvanced", { done: 20, changed: 3, through: "x" }));
  expect(run).toMatchObject({ blueprint: 2, status: "running", leads: 40, done: 20, changed: 3 });
  expect(foldRun(run, event("ScoringAdvanced", { done: 40 }, "another"))).toBe(run);
  expect(foldRun(run, event("ScoringEnded", { status: "done" }))?.status).toBe("done");
  expect(foldRun(run, event("ScoringStarted", { blueprint: 3, leads: 41 }, "s2"))).toMatchObject({ id: "s2", done: 0 });
  expect(foldRun(run, { ...event("LeadScored", { weight_score: 1 }), entity: "lead" })).toBe(run);
});
