import type { AgreementView, RankingsView, SuggestedWeights } from "../../lib/api/generated";
import { percent, plural } from "../../lib/format/numbers";

/** The order with one of them in another place; places outside of it are its ends. */
export function moved(order: readonly string[], id: string, to: number): string[] {
  const rest = order.filter((other) => other !== id);
  rest.splice(Math.max(0, Math.min(rest.length, to)), 0, id);
  return rest;
}

/** Those who are dealt, in the order in which the user had put them; who is new comes last. */
export function arranged(dealt: readonly string[], before: readonly string[]): string[] {
  const stillDealt = before.filter((id) => dealt.includes(id));
  return [...stillDealt, ...dealt.filter((id) => !stillDealt.includes(id))];
}

const pairs = (agreement: AgreementView): number => agreement.agree + agreement.disagree;

/** "18 of 22 pairs agree". */
export function pairsTitle(agreement: AgreementView): string {
  if (pairs(agreement) === 0) return agreement.same === 0 ? "No pairs yet" : "Everyone has the same score";
  return `${agreement.agree} of ${plural(pairs(agreement), "pair")} ${agreement.agree === 1 && pairs(agreement) === 1 ? "agrees" : "agree"}`;
}

/** What the pairs say about all pairs, and Kendall's tau. */
export function pairsNote(agreement: AgreementView): string {
  if (pairs(agreement) === 0 || agreement.tau === null) return "";
  const same = agreement.same > 0 ? ` ${agreement.same} more have the same score.` : "";
  return `${percent(agreement.agree, pairs(agreement))}, probably ${percent(agreement.low, 1)} to ${percent(agreement.high, 1)} · Kendall's tau ${agreement.tau.toFixed(2)}.${same}`;
}

/** How the agreement compares with the goal, in words. */
export function goalNote(agreement: AgreementView, goal: number): string {
  if (agreement.share === null) return "";
  const goalText = percent(goal, 1);
  if (agreement.low > goal) return `Over ${goalText}: the scoring matches your order.`;
  return agreement.share > goal
    ? `Over ${goalText} so far; another round would confirm it.`
    : `The goal is over ${goalText}. Look at where you differ, or try other weights.`;
}

/** Why no weights are suggested; "" when some are. */
export function suggestionNote(suggestion: SuggestedWeights): string {
  switch (suggestion.status) {
    case "few":
      return `Not enough to suggest weights: ${plural(suggestion.pairs, "pair")} that the criteria can tell apart. It takes at least ${suggestion.fewest_pairs}, from ${plural(suggestion.fewest_rounds, "round")} or more.`;
    case "one_criterion":
      return "A single criterion leaves no weights to adjust. Add another criterion.";
    case "no_better":
      return "No other weights would match better. Where you still differ, the criteria miss something you see.";
    case "better":
      return "";
  }
}

/** How many rounds count. */
export const counted = (view: RankingsView): number => view.rounds.filter((round) => round.counts).length;
