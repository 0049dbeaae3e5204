const DAY = 86_400_000;
const UNITS: readonly [number, string][] = [
  [DAY, "d"],
  [3_600_000, "h"],
  [60_000, "min"],
];

/** Formats in UTC: what is given to them has the wanted clock's offset added. */
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

// Times on the campaign's own clock; `offset` is its local time minus UTC in milliseconds.

/** "1 Jun, 14:05" */
export function clockTime(at: number, offset: number): string {
  return `${dayOf(at, offset)}, ${MINUTE.format(at + offset)}`;
}

/** What is still to come, or was: "14:05" on the same day, else "Mon 1 Jun, 14:05". */
export function dayAndTime(at: number, now: number, offset: number): string {
  const minute = MINUTE.format(at + offset);
  const sameDay = Math.floor((at + offset) / DAY) === Math.floor((now + offset) / DAY);
  return sameDay ? minute : `${dayTitle(at, offset)}, ${minute}`;
}

/** A day that is still to come: "tomorrow", else "on Mon 1 Jun". */
export function comingDay(at: number, now: number, offset: number): string {
  const days = Math.floor((at + offset) / DAY) - Math.floor((now + offset) / DAY);
  return days === 1 ? "tomorrow" : `on ${dayTitle(at, offset)}`;
}

/** What comes no sooner, and may come later: whoever else is due then may be first. */
export const earliest = (at: number, now: number, offset: number): string => `from ${dayAndTime(at, now, offset)}`;

/** What may be long ago: "1 Jun, 14:05" in the same year, else "1 Jun 2025, 14:05". */
export function clockDay(at: number, now: number, offset: number): string {
  const sameYear = new Date(at + offset).getUTCFullYear() === new Date(now + offset).getUTCFullYear();
  return sameYear ? clockTime(at, offset) : dated(at, offset);
}

/** "1 Jun 2026, 14:05" */
export function dated(at: number, offset: number): string {
  return `${date(at, offset)}, ${MINUTE.format(at + offset)}`;
}

/** "Mon 23 Nov" */
export function dayTitle(at: number, offset: number): string {
  return `${WEEKDAY.format(at + offset)} ${dayOf(at, offset)}`;
}

/** The campaign's clock beside the real one: "Mon 7 Dec 09:00, 14 days ahead"; days are the calendar's. */
export function practiceClock(at: number, real: number, offset: number): string {
  const dayNumber = (time: number) => Math.floor((time + offset) / DAY);
  const days = dayNumber(at) - dayNumber(real);
  const ahead = days < 1 ? "" : `, ${days} ${days === 1 ? "day" : "days"} ahead`;
  return `${dayTitle(at, offset)} ${MINUTE.format(at + offset)}${ahead}`;
}

/** To the second: "1 Jun 2026, 14:05:09" */
export function fullTime(at: number, offset: number): string {
  return `${date(at, offset)}, ${SECOND.format(at + offset)}`;
}

// Times on this machine's clock.

/** "10:02" */
export const minuteHere = (at: number): string => MINUTE.format(at + offsetHere(at));

/** "12:03:20" */
export const secondHere = (at: number): string => SECOND.format(at + offsetHere(at));

/** "1 Jun 2026" */
export const dateHere = (at: number): string => date(at, offsetHere(at));

/** "1 Jun 2026, 14:05" */
export const datedHere = (at: number): string => dated(at, offsetHere(at));

/** "10:02" today, else as `clockDay`. */
export function timeHere(at: number, now: number): string {
  const isToday = dayOf(at, offsetHere(at)) === dayOf(now, offsetHere(now)) && now - at < DAY;
  return isToday ? minuteHere(at) : clockDay(at, now, offsetHere(at));
}

/** "10:02" today, "yesterday 18:10", else "Fri 20 Nov, 18:10". */
export function pastHere(at: number, now: number): string {
  const day = (time: number) => Math.floor((time + offsetHere(time)) / DAY);
  const days = day(now) - day(at);
  if (days === 0) return minuteHere(at);
  return days === 1 ? `yesterday ${minuteHere(at)}` : `${dayTitle(at, offsetHere(at))}, ${minuteHere(at)}`;
}

const offsetHere = (at: number): number => -new Date(at).getTimezoneOffset() * 60_000;

/** "1 Jun" */
const dayOf = (at: number, offset: number): string =>
  `${new Date(at + offset).getUTCDate()} ${MONTH.format(at + offset)}`;

/** "1 Jun 2026" */
export const date = (at: number, offset: number): string => `${dayOf(at, offset)} ${new Date(at + offset).getUTCFullYear()}`;
