import type { Condition, WantedStep } from "../api/generated";
import { plural } from "../format/numbers";

export const MOST_CONDITIONS = 3;

/** What a condition asks; the same for its opposite. */
const question = (one: Condition): string =>
  JSON.stringify([one.what, one.days, one.name, one.compare, one.value.trim().toLowerCase()]);

/** Whether one is the other turned round. */
export const areOpposite = (one: Condition, other: Condition): boolean => question(one) === question(other) && one.negated !== other.negated;

const areSame = (one: Condition, other: Condition): boolean => question(one) === question(other) && one.negated === other.negated;

/** A condition turned round. */
export const opposite = (one: Condition): Condition => ({ ...one, negated: !one.negated });

/** A new condition of that kind. */
export function newCondition(what: Condition["what"], fields: readonly string[]): Condition {
  const bare: Condition = { what, days: 0, name: "", compare: "is", value: "", negated: false, unknown: "find_out" };
  if (what === "accepted") return { ...bare, days: 7 };
  return what === "field" ? { ...bare, name: fields[0] ?? "company" } : bare;
}

/** Whether it says all it has to. */
export const isWhole = (one: Condition): boolean =>
  one.what === "accepted" ? one.days > 0 : one.what === "connected" || (one.what === "field" && one.compare === "empty") || one.value.trim() !== "";

/** A condition in words, as it follows "if": "they accept within 7 days". */
export function conditionWords(one: Condition): string {
  const not = one.negated ? "not " : "";
  const value = one.value.trim() === "" ? "…" : `“${one.value.trim()}”`;
  if (one.what === "accepted") return `they ${one.negated ? "do not " : ""}accept within ${plural(one.days, "day")}`;
  if (one.what === "connected") return `they are ${not}connected already`;
  if (one.what === "tag") return `they ${one.negated ? "do not " : ""}have the tag ${value}`;
  const name = one.name.replaceAll("_", " ");
  if (one.compare === "empty") return `${name} is ${not}empty`;
  return one.compare === "contains" ? `${name} ${one.negated ? "does not contain" : "contains"} ${value}` : `${name} is ${not}${value}`;
}

/** A heading over the steps that hang on a condition, and how deep it stands. */
export interface Heading {
  depth: number;
  said: string;
}

/** What stands over a step: the conditions that begin there, each told as "Otherwise" where the steps before had its opposite. */
export function headings(steps: readonly WantedStep[], index: number): Heading[] {
  const here = steps[index]?.only_if ?? [];
  const before = steps[index - 1]?.only_if ?? [];
  let same = 0;
  while (same < here.length && same < before.length && areSame(here[same]!, before[same]!)) same += 1;
  return here.slice(same).map((one, at) => {
    const other = at === 0 ? before[same] : undefined;
    const turned = other !== undefined && areOpposite(one, other);
    return { depth: same + at, said: turned ? `Else: ${conditionWords(one)}` : `If ${conditionWords(one)}` };
  });
}

/** Where the steps end that hang on the last condition of this one, whichever way: the place behind them. */
export function endOfBranch(steps: readonly WantedStep[], index: number): number {
  const last = steps[index]?.only_if.at(-1);
  let end = index + 1;
  if (last === undefined) return end;
  while (steps[end]?.only_if.some((one) => areSame(one, last) || areOpposite(one, last))) end += 1;
  return end;
}

/** The step for those who do not meet the last condition of this one, and its place; null where there is no condition. */
export function otherwise(steps: readonly WantedStep[], index: number): { at: number; kind: "message" | "end"; only_if: Condition[] } | null {
  const only_if = [...(steps[index]?.only_if ?? [])];
  const last = only_if.pop();
  if (last === undefined) return null;
  // Who does not accept can be written nothing.
  const kind = last.what === "accepted" && !last.negated ? "end" : "message";
  return { at: endOfBranch(steps, index), kind, only_if: [...only_if, opposite(last)] };
}
