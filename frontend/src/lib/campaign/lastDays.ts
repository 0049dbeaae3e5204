import { DAY, localTime, momentOf, type UtcOffsets } from "../format/localTime";

/** The last days that a campaign may have, in the order in which they are shown. */
export const LAST_DAYS: readonly { name: "first_contact_until" | "ends_at"; title: string }[] = [
  { name: "first_contact_until", title: "Last day for a first contact" },
  { name: "ends_at", title: "Last day" },
];
export const LAST_DAYS_ABOUT = "After the first, nobody new is contacted; after the second, every sequence ends for good. Empty: no such day.";

/** The last day before that moment, as a date field has it; "" for none. */
export function asLastDay(at: number | null, offsets: UtcOffsets): string {
  return at === null ? "" : new Date(localTime(at - 1, offsets)).toISOString().slice(0, 10);
}

/** The moment at which that day is over (ms UTC); null for none, or for what is no date. */
export function endOfDay(day: string, offsets: UtcOffsets): number | null {
  const begins = Date.parse(`${day}T00:00:00Z`);
  return Number.isNaN(begins) ? null : momentOf(begins + DAY, offsets);
}
