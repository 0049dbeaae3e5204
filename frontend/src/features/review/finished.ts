import type { CampaignView, ApprovedMessage } from "../../lib/api/generated";
import { dayAndTime, dayTitle } from "../../lib/format/dates";
import { reveal } from "../../lib/format/hiddenCharacters";
import { plural } from "../../lib/format/numbers";
import { isSentByHand } from "../../lib/navigation/route";

/** What may be done about a text in Review, in the order in which it is summed up. */
const DONE = ["approved", "edited", "rejected", "skipped"] as const;
export type Done = (typeof DONE)[number];

/** "9 approved · 2 edited · 1 skipped": what was done, by how many texts; nothing for none. */
export const summed = (done: readonly Done[]): string =>
  DONE.map((what) => [done.filter((outcome) => outcome === what).length, what] as const)
    .filter(([times]) => times > 0)
    .map(([times, what]) => `${times} ${what}`)
    .join(" · ");

type Where = Pick<CampaignView, "site" | "status" | "now" | "utc_offsets">;

/** About when a text goes out once it is approved; "" when that is not foreseeable. */
export function goesOut(at: number | null, { now, utc_offsets }: Where): string {
  if (at === null) return "";
  return at - now < 60_000 ? "now" : `about ${dayAndTime(at, now, utc_offsets)}`;
}

/** "enough until Wed 2 Dec": for how long messages are prepared; "" while more are drafted. */
export const enoughUntil = ({ prepared_until: until, utc_offsets }: Pick<CampaignView, "prepared_until" | "utc_offsets">): string =>
  until === null ? "" : `enough until ${dayTitle(until, utc_offsets)}`;

/** What goes out next of the approved texts, and when; `expected` has the forecasts (ms UTC) under which they were approved. */
export function nextOut(waiting: readonly Pick<ApprovedMessage, "id" | "recipient">[], expected: ReadonlyMap<string, number | null>, where: Where, still: boolean): string {
  if (waiting.length === 0) return "";
  const texts = `${plural(waiting.length, "approved message")} ${waiting.length === 1 ? "waits" : "wait"}`;
  if (isSentByHand(where.site)) return `${texts} for you in Send.`;
  if (where.status !== "active" || still) return `${texts} until the campaign ${where.status === "initializing" ? "starts" : "continues"}.`;
  const at = (id: string) => expected.get(id) ?? Infinity;
  const [first] = waiting.toSorted((message, other) => at(message.id) - at(other.id) || 0);
  if (first === undefined) return "";
  const when = goesOut(expected.get(first.id) ?? null, where);
  const more = waiting.length > 1 ? `, then ${waiting.length - 1} more` : "";
  return `Next: ${reveal(first.recipient)}${when ? ` (${when})` : ""}${more}.`;
}
