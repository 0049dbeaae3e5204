import type { ForecastCount, ForecastDay, ForecastView } from "../api/generated";
import { blockWords } from "../format/blockWords";
import { count, plural } from "../format/numbers";

/** A week of a forecast, Monday first; null where the forecast has no day. */
export type Week = (ForecastDay | null)[];

const MS_A_DAY = 86_400_000;
const weekday = (day: string): number => (Math.floor(Date.parse(`${day}T00:00:00Z`) / MS_A_DAY) + 3) % 7;

/** The days as weeks. */
export function weeks(days: ForecastDay[]): Week[] {
  const first = days[0];
  if (first === undefined) return [];
  const cells: Week = [...Array<null>(weekday(first.day)).fill(null), ...days];
  while (cells.length % 7 !== 0) cells.push(null);
  return Array.from({ length: cells.length / 7 }, (_, at) => cells.slice(7 * at, 7 * at + 7));
}

/** All that would be done on a day. */
export const acts = (day: ForecastDay): number => day.invitations + day.messages + day.withdrawals;

/** "156 people would still be waiting after 14 days.": how many are not through by the end of a forecast. */
export function unfinished({ waiting, not_begun }: Pick<ForecastView, "waiting" | "not_begun">, days: number): string {
  const people = waiting.reduce((sum, group) => sum + group.people, not_begun);
  return `${plural(people, "person", "people")} would still be waiting after ${plural(days, "day")}.`;
}

/** "3 would go out.", or that nothing would. */
export function outgoing({ total, withdrawals }: Pick<ForecastView, "total" | "withdrawals">): string {
  const sent = total - withdrawals;
  return sent === 0 ? "Nothing would go out." : `${count(sent)} would go out.`;
}

/** How strongly a day is coloured, 0 to 4, against the busiest. */
export function level(day: ForecastDay, days: ForecastDay[]): number {
  const most = Math.max(...days.map(acts));
  return acts(day) === 0 ? 0 : Math.max(1, Math.ceil((4 * acts(day)) / most));
}

/** A day for a screen reader and a tooltip: "2026-11-23: 3 invitations, 1 message". */
export function dayWords(day: ForecastDay): string {
  const parts = [
    day.invitations > 0 ? `${day.invitations} ${day.invitations === 1 ? "invitation" : "invitations"}` : "",
    day.messages > 0 ? `${day.messages} ${day.messages === 1 ? "message" : "messages"}` : "",
    day.withdrawals > 0 ? `${day.withdrawals} ${day.withdrawals === 1 ? "withdrawal" : "withdrawals"}` : "",
  ].filter((part) => part !== "");
  return `${day.day}: ${parts.length > 0 ? parts.join(", ") : "nothing"}`;
}

const NEEDS: Record<string, string> = {
  think: "a message to be written",
  look: "their profile to be read",
  acceptance: "their invitation to be accepted",
  reply: "a reply",
  invite: "the next free day for an invitation",
  note: "room for another note: the invitations with a note are used up for now",
  message: "the next free day for a message",
  withdraw: "their invitation to be withdrawn",
  approval: "your approval",
  input: "your answer",
};

/** What somebody would wait for, in words. */
export const waitWords = (reason: string): string => NEEDS[reason] ?? reason.replaceAll("_", " ");

/** Who gets nothing, each reason once: several codes may say the same to a reader. */
export function leftOut(counts: readonly ForecastCount[]): { why: string; people: number; inDoubt: boolean }[] {
  const reasons = new Map<string, { why: string; people: number; inDoubt: boolean }>();
  for (const { what, people } of counts) {
    const why = blockWords(what);
    reasons.set(why, { why, people: people + (reasons.get(why)?.people ?? 0), inDoubt: what === "in_doubt" });
  }
  return [...reasons.values()];
}
