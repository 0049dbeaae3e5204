import type { ReconciledPerson, ReconciliationCounts } from "../api/generated";
import { count } from "./numbers";

const CHANGES: [ReconciledPerson["change"], string, string][] = [
  ["replies", "reply", "replies"],
  ["confirmed", "confirmed", "confirmed"],
  ["settled", "settled", "settled"],
  ["accepted", "invitation accepted", "invitations accepted"],
  ["contradictions", "contradiction", "contradictions"],
];

/** "2 replies, 3 confirmed, 1 contradiction": what an export changed. */
export function exportSummary(counts: ReconciliationCounts): string {
  const parts = CHANGES.filter(([name]) => counts[name] > 0).map(
    ([name, singular, plural]) => `${count(counts[name])} ${counts[name] === 1 ? singular : plural}`,
  );
  if (parts.length > 0) return parts.join(", ");
  return counts.people > 0 ? "Nothing new" : "None of your people are in it";
}

/** What it changed about one person, as a word beside their name. */
export const changeWord = (change: ReconciledPerson["change"]): string => CHANGES.find(([name]) => name === change)?.[1] ?? change;
