import type { Criterion, FeedEvent, ScoringRun } from "../../lib/api/generated";

export const WHOLE = 100;
export const MOST_CRITERIA = 20;

export type Rule = Criterion["rule"];
export type RuleKind = Rule["rule"];

export const RULES: readonly { kind: RuleKind; title: string }[] = [
  { kind: "keywords", title: "Words" },
  { kind: "range", title: "A number" },
  { kind: "recency", title: "How recent" },
  { kind: "completeness", title: "Filled fields" },
  { kind: "one_of", title: "One of" },
];

/** What all weights come to; a field that is empty counts nothing. */
export const total = (criteria: readonly Criterion[]): number =>
  criteria.reduce((sum, criterion) => sum + (Number(criterion.weight) || 0), 0);

/** Words as they are typed, between commas or on lines of their own, each once. */
export function words(text: string): string[] {
  const words = new Map<string, string>();
  for (const word of text.split(/[,\n;]/).map((part) => part.trim()))
    if (word !== "" && !words.has(word.toLowerCase())) words.set(word.toLowerCase(), word);
  return [...words.values()];
}

export const typed = (list: readonly string[]): string => list.join(", ");

/** The weights in the same proportions with the sum 100, at least 1 each: what rounding leaves goes to the largest remainders. */
export function balanced(criteria: readonly Criterion[]): Criterion[] {
  if (criteria.length === 0 || criteria.length > WHOLE) return [...criteria];
  const ownWeights = criteria.map((criterion) => Math.max(0, Math.floor(Number(criterion.weight) || 0)));
  const sum = ownWeights.reduce((all, weight) => all + weight, 0);
  const rest = WHOLE - criteria.length;
  const exact = ownWeights.map((weight) => (sum === 0 ? rest / criteria.length : (rest * weight) / sum));
  const weights = exact.map((share) => 1 + Math.floor(share));
  const order = exact
    .map((share, index) => ({ index, left: share - Math.floor(share) }))
    .sort((a, b) => b.left - a.left || a.index - b.index);
  const missing = WHOLE - weights.reduce((all, weight) => all + weight, 0);
  for (const { index } of order.slice(0, missing)) weights[index] = (weights[index] ?? 0) + 1;
  return criteria.map((criterion, index) => ({ ...criterion, weight: weights[index] ?? criterion.weight }));
}

const LETTER = /[\p{L}\p{N}_]/u;
const whole = (value: unknown, least: number, most: number) =>
  typeof value === "number" && Number.isInteger(value) && value >= least && value <= most;

/** What keeps a criterion from being usable, before anybody else is asked; "" when nothing does. */
export function problemOf(criterion: Criterion): string {
  const { rule } = criterion;
  if (criterion.name.trim() === "") return "Enter a name.";
  if (!whole(criterion.weight, 1, WHOLE)) return "The weight must be a whole number from 1 to 100.";
  const fields = "fields" in rule ? rule.fields : [rule.field];
  if (fields.length === 0 || fields.includes("")) return "Choose a field.";
  switch (rule.rule) {
    case "keywords":
      if (rule.words.length === 0) return "Enter at least one word.";
      if (!whole(rule.part, 1, 99)) return "The part must be a whole number from 1 to 99.";
      return wordsProblem([...rule.words, ...rule.partly], Math.max(rule.words.length, rule.partly.length));
    case "one_of":
      return rule.values.length === 0 ? "Enter at least one value." : wordsProblem(rule.values, rule.values.length);
    case "range":
      if (rule.low === null && rule.high === null) return "Enter at least one bound.";
      if ([rule.low, rule.high].some((bound) => bound !== null && !whole(bound, 0, 1e12)))
        return "Bounds must be whole numbers.";
      return rule.low !== null && rule.high !== null && rule.low > rule.high
        ? "The lower bound is above the upper one."
        : "";
    case "recency":
      return whole(rule.half_life_days, 1, 3650) ? "" : "The half-life must be 1 to 3,650 days.";
    case "completeness":
      return "";
  }
}

function wordsProblem(list: readonly string[], longest: number): string {
  if (longest > 40) return "At most 40 words.";
  const bad = list.find((word) => word.length > 60 || !LETTER.test(word));
  return bad === undefined ? "" : `“${bad.slice(0, 20)}” is not a searchable word.`;
}

/** Whether the server can be asked what it would do. */
export const usable = (criteria: readonly Criterion[]): boolean =>
  criteria.length > 0 &&
  criteria.length <= MOST_CRITERIA &&
  criteria.every((criterion) => problemOf(criterion) === "") &&
  total(criteria) === WHOLE;

/** A rule of another kind over the same field, to begin with. */
export function ruleOf(kind: RuleKind, field: string): Rule {
  switch (kind) {
    case "keywords":
      return { rule: "keywords", fields: [field], match: "any", words: [], partly: [], part: 50 };
    case "range":
      return { rule: "range", field, low: null, high: null };
    case "recency":
      return { rule: "recency", field, half_life_days: 180 };
    case "completeness":
      return { rule: "completeness", fields: [field] };
    case "one_of":
      return { rule: "one_of", field, values: [] };
  }
}

/** A field's name, for people. */
export const label = (field: string): string => field.replaceAll("_", " ");

export const sameCriteria = (criteria: readonly Criterion[], other: readonly Criterion[]): boolean =>
  JSON.stringify(criteria) === JSON.stringify(other);

/** Fold an event into the scoring that is shown; a new one replaces it. */
export function foldRun(run: ScoringRun | null, event: FeedEvent): ScoringRun | null {
  if (event.entity !== "scoring" || event.changes === null) return run;
  const changes = event.changes;
  const number = (name: string, otherwise: number) => (typeof changes[name] === "number" ? changes[name] : otherwise);
  if (event.kind === "ScoringStarted")
    return {
      id: event.entity_id,
      blueprint: number("blueprint", 0),
      status: "running",
      leads: number("leads", 0),
      done: 0,
      changed: 0,
      finished_at: null,
    };
  if (run === null || run.id !== event.entity_id) return run;
  const status = changes["status"] === "done" || changes["status"] === "superseded" ? changes["status"] : run.status;
  return { ...run, status, done: number("done", run.done), changed: number("changed", run.changed) };
}
