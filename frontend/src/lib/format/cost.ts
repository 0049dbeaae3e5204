const MICROS = 1_000_000;

/** Micros as dollars; small sums keep their digits. */
export function money(micros: number): string {
  const dollars = micros / MICROS;
  if (micros === 0) return "$0";
  if (micros < 100) return "<$0.0001";
  return `$${dollars.toFixed(dollars < 0.01 ? 4 : 2)}`;
}

/** Tokens, short: 950, 12.3k, 4.1M. */
export function tokens(count: number): string {
  if (count < 1_000) return String(count);
  const [by, unit] = count < 1_000_000 ? [1_000, "k"] : [1_000_000, "M"];
  const short = count / by;
  return `${short < 100 ? short.toFixed(1).replace(/\.0$/, "") : Math.round(short)}${unit}`;
}

/** "2.5 calls and 4.1k tokens a person": what a model's help costs for each one that was begun with. */
export function perPerson(spent: { calls: number; tokens: number; people: number }): string {
  if (spent.people === 0) return "";
  const calls = (spent.calls / spent.people).toFixed(1).replace(/\.0$/, "");
  return `${calls} ${calls === "1" ? "call" : "calls"} and ${tokens(Math.round(spent.tokens / spent.people))} tokens a person`;
}

/** Whose share of the budget is larger: money or tokens, from 0 to 1. */
export const share = (spent: { micros: number; tokens: number; most_micros: number; most_tokens: number }): number =>
  Math.min(1, Math.max(ratio(spent.micros, spent.most_micros), ratio(spent.tokens, spent.most_tokens)));

const ratio = (part: number, whole: number): number => (whole > 0 ? part / whole : part > 0 ? 1 : 0);
