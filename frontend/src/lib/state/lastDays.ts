/** The last days that a campaign may have, in the order in which they are shown. */
export const LAST_DAYS: readonly { name: "first_contact_until" | "ends_at"; title: string }[] = [
  { name: "first_contact_until", title: "Last day for a first contact" },
  { name: "ends_at", title: "Last day" },
];
export const LAST_DAYS_ABOUT = "After the first, nobody new is contacted; after the second, every sequence ends for good. Empty: no such day.";

const two = (value: number) => String(value).padStart(2, "0");

/** The last day before that moment, in this computer's time zone, as a date field has it; "" for none. */
export function asLastDay(at: number | null): string {
  if (at === null) return "";
  const day = new Date(at - 1);
  return `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`;
}

/** The moment at which that day is over (ms UTC); null for none, or for what is no date. */
export function endOfDay(day: string): number | null {
  const [year, month, date] = day.split("-").map(Number);
  const at = new Date(year ?? NaN, (month ?? NaN) - 1, (date ?? NaN) + 1).getTime();
  return Number.isNaN(at) ? null : at;
}
