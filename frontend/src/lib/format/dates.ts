import { DAY, localDay, localTime, type UtcOffsets } from "./localTime";

const UNITS: readonly [number, string][] = [
  [DAY, "d"],
  [3_600_000, "h"],
  [60_000, "min"],
];

/** Formats in UTC: what is given to them has the wanted clock's offsets added. */
function format(parts: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat("en-US", { timeZone: "UTC", hourCycle: "h23", ...parts });
}

const WEEKDAY = format({ weekday: "short" });
const MONTH = format({ month: "short" });
const MINUTE = format({ hour: "2-digit", minute: "2-digit" });
const SECOND = format({ hour: "2-digit", minute: "2-digit", second: "2-digit" });

/** A span in one unit, in few characters: "5 min", "3 d"; "now" for less than a minute, or what is still to come. */
export function age(milliseconds: number): string {
  const unit = UNITS.find(([length]) => milliseconds >= length);
  return unit === undefined ? "now" : `${Math.floor(milliseconds / unit[0])} ${unit[1]}`;
}

/** How long ago something was: "just now", "5 min ago". */
export function ago(milliseconds: number): string {
  return milliseconds < 60_000 ? "just now" : `${age(milliseconds)} ago`;
}

// Times on the campaign's own clock; `offsets` is what it is ahead of UTC.

/** "1 Jun, 14:05" */
export function clockTime(at: number, offsets: UtcOffsets): string {
  return `${dayOf(at, offsets)}, ${MINUTE.format(localTime(at, offsets))}`;
}

/** What is still to come, or was: "14:05" on the same day, else "Mon 1 Jun, 14:05". */
export function dayAndTime(at: number, now: number, offsets: UtcOffsets): string {
  const minute = MINUTE.format(localTime(at, offsets));
  const sameDay = localDay(at, offsets) === localDay(now, offsets);
  return sameDay ? minute : `${dayTitle(at, offsets)}, ${minute}`;
}

/** The day that ends at a moment: "today", else "Sat 5 Dec". */
export function dayEnding(at: number, now: number, offsets: UtcOffsets): string {
  return localDay(at - 1, offsets) === localDay(now, offsets) ? "today" : dayTitle(at - 1, offsets);
}

/** A day that is still to come: "tomorrow", else "on Mon 1 Jun". */
export function comingDay(at: number, now: number, offsets: UtcOffsets): string {
  const days = localDay(at, offsets) - localDay(now, offsets);
  return days === 1 ? "tomorrow" : `on ${dayTitle(at, offsets)}`;
}

/** What comes no sooner, and may come later: whoever else is due then may be first. */
export const earliest = (at: number, now: number, offsets: UtcOffsets): string => `from ${dayAndTime(at, now, offsets)}`;

/** What may be long ago: "1 Jun, 14:05" in the same year, else "1 Jun 2025, 14:05". */
export function clockDay(at: number, now: number, offsets: UtcOffsets): string {
  const sameYear = new Date(localTime(at, offsets)).getUTCFullYear() === new Date(localTime(now, offsets)).getUTCFullYear();
  return sameYear ? clockTime(at, offsets) : dated(at, offsets);
}

/** "1 Jun 2026, 14:05" */
export function dated(at: number, offsets: UtcOffsets): string {
  return `${date(at, offsets)}, ${MINUTE.format(localTime(at, offsets))}`;
}

/** "2026-11-23", as files have it, as "23 Nov 2026"; what is no such day as it is. */
export const writtenDay = (day: string): string => (/^\d{4}-\d\d-\d\d$/.test(day) ? date(Date.parse(day), []) : day);

/** A sentence with such days in it; what is quoted in it is somebody's own words. */
export const withWrittenDays = (text: string): string =>
  text.replace(/“[^”]*”|\b\d{4}-\d\d-\d\d\b/g, (part) => writtenDay(part));

/** "Mon 23 Nov" */
export function dayTitle(at: number, offsets: UtcOffsets): string {
  return `${WEEKDAY.format(localTime(at, offsets))} ${dayOf(at, offsets)}`;
}

/** The campaign's clock beside the real one: "Mon 7 Dec 09:00, 14 days ahead"; days are the calendar's. */
export function practiceClock(at: number, real: number, offsets: UtcOffsets): string {
  const days = localDay(at, offsets) - localDay(real, offsets);
  const ahead = days < 1 ? "" : `, ${days} ${days === 1 ? "day" : "days"} ahead`;
  return `${dayTitle(at, offsets)} ${MINUTE.format(localTime(at, offsets))}${ahead}`;
}

/** To the second: "1 Jun 2026, 14:05:09" */
export function fullTime(at: number, offsets: UtcOffsets): string {
  return `${date(at, offsets)}, ${SECOND.format(localTime(at, offsets))}`;
}

// Times on this machine's clock.

/** "10:02" */
export const minuteHere = (at: number): string => MINUTE.format(localTime(at, offsetsHere(at)));

/** "12:03:20" */
export const secondHere = (at: number): string => SECOND.format(localTime(at, offsetsHere(at)));

/** "1 Jun 2026" */
export const dateHere = (at: number): string => date(at, offsetsHere(at));

/** "1 Jun 2026, 14:05" */
export const datedHere = (at: number): string => dated(at, offsetsHere(at));

/** "10:02" today, else as `clockDay`. */
export function timeHere(at: number, now: number): string {
  const isToday = dayOf(at, offsetsHere(at)) === dayOf(now, offsetsHere(now)) && now - at < DAY;
  return isToday ? minuteHere(at) : clockDay(at, now, offsetsHere(at));
}

/** "10:02" today, "yesterday 18:10", else "Fri 20 Nov, 18:10". */
export function pastHere(at: number, now: number): string {
  const days = localDay(now, offsetsHere(now)) - localDay(at, offsetsHere(at));
  if (days === 0) return minuteHere(at);
  return days === 1 ? `yesterday ${minuteHere(at)}` : `${dayTitle(at, offsetsHere(at))}, ${minuteHere(at)}`;
}

/** A text in which Outrider wrote times in UTC, as this machine's clock shows them. */
export const withTimesHere = (text: string): string =>
  text.replace(/(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}:\d{2}) UTC/g, (_, day: string, time: string) => datedHere(Date.parse(`${day}T${time}Z`)));

const offsetsHere = (at: number): UtcOffsets => [{ since: at, ms: -new Date(at).getTimezoneOffset() * 60_000 }];

/** "1 Jun" */
const dayOf = (at: number, offsets: UtcOffsets): string =>
  `${new Date(localTime(at, offsets)).getUTCDate()} ${MONTH.format(localTime(at, offsets))}`;

/** "1 Jun 2026" */
export const date = (at: number, offsets: UtcOffsets): string => `${dayOf(at, offsets)} ${new Date(localTime(at, offsets)).getUTCFullYear()}`;
