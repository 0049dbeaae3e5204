import type { Condition, RequestedStep } from "../api/generated";
import { plural } from "../format/numbers";

export const MOST_CONDITIONS = 3;

/** What a condition asks; the same for its opposite. */
const question = (condition: Condition): string =>
  JSON.stringify([condition.what, condition.days, condition.name, condition.compare, condition.value.trim().toLowerCase()]);

/** Whether one is the other turned round. */
export const areOpposite = (condition: Condition, other: Condition): boolean => question(condition) === question(other) && condition.negated !== other.negated;

const areSame = (condition: Condition, other: Condition): boolean => question(condition) === question(other) && condition.negated === other.negated;

/** A condition turned round. */
export const opposite = (condition: Condition): Condition => ({ ...condition, negated: !condition.negated });

/** A new condition of that kind. */
export function newCondition(what: Condition["what"], fields: readonly string[]): Condition {
  const bare: Condition = { what, days: 0, name: "", compare: "is", value: "", negated: false, unknown: "find_out" };
  if (what === "accepted") return { ...bare, days: 7 };
  return what === "field" ? { ...bare, name: fields[0] ?? "company" } : bare;
}

/** Whether it says all it has to. */
export const isWhole = (condition: Condition): boolean =>
  condition.what === "accepted" ? condition.days > 0 : condition.what === "connected" || (condition.what === "field" && condition.compare === "empty") || condition.value.trim() !== "";

/** A condition in words, as it follows "if": "they accept within 7 days". */
export function conditionWords(condition: Condition): string {
  const not = condition.negated ? "not " : "";
  const value = condition.value.trim() === "" ? "…" : `“${condition.value.trim()}”`;
  if (condition.what === "accepted") return `they ${condition.negated ? "do not " : ""}accept within ${plural(condition.days, "day")}`;
  if (condition.what === "connected") return `they are ${not}connected already`;
  if (condition.what === "tag") return `they ${condition.negated ? "do not " : ""}have the tag ${value}`;
  const name = condition.name.replaceAll("_", " ");
  if (condition.compare === "empty") return `${name} is ${not}empty`;
  return condition.compare === "contains" ? `${name} ${condition.negated ? "does not contain" : "contains"} ${value}` : `${name} is ${not}${value}`;
}

/** A heading over the steps that hang on a condition, and how deep it stands. */
export interface Heading {
  depth: number;
  text: string;
}

/** What stands over a step: the conditions that begin there, each told as "Otherwise" where the steps before had its opposite. */
export function headings(steps: readonly RequestedStep[], index: number): Heading[] {
  const conditions = steps[index]?.only_if ?? [];
  const before = steps[index - 1]?.only_if ?? [];
  let same = 0;
  while (same < conditions.length && same < before.length && areSame(conditions[same]!, before[same]!)) same += 1;
  return conditions.slice(same).map((condition, at) => {
    const other = at === 0 ? before[same] : undefined;
    const turned = other !== undefined && areOpposite(condition, other);
    return { depth: same + at, text: turned ? `Else: ${conditionWords(condition)}` : `If ${conditionWords(condition)}` };
  });
}

/** Where the steps end that hang on the last condition of this one, whichever way: the place behind them. */
export function endOfBranch(steps: readonly RequestedStep[], index: number): number {
  const last = steps[index]?.only_if.at(-1);
  let end = index + 1;
  if (last === undefined) return end;
  while (steps[end]?.only_if.some((condition) => areSame(condition, last) || areOpposite(condition, last))) end += 1;
  return end;
}

/** The step for those who do not meet the last condition of this one, and its place; null where there is no condition. */
export function otherwise(steps: readonly RequestedStep[], index: number): { at: number; kind: "message" | "end"; only_if: Condition[] } | null {
  const only_if = [...(steps[index]?.only_if ?? [])];
  const last = only_if.pop();
  if (last === undefined) return null;
  // Who does not accept can be written nothing.
  const kind = last.what === "accepted" && !last.negated ? "end" : "message";
  return { at: endOfBranch(steps, index), kind, only_if: [...only_if, opposite(last)] };
}
