const DAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const UNITS: readonly [number, string][] = [
  [86_400_000, "d"],
  [3_600_000, "h"],
  [60_000, "min"],
];
const two = (value: number) => String(value).padStart(2, "0");

/** A span in one unit, in few characters: "5 min", "3 d"; "now" for less than a minute, or what is still to come. */
export function age(milliseconds: number): string {
  const unit = UNITS.find(([length]) => milliseconds >= length);
  return unit === undefined ? "now" : `${Math.floor(milliseconds / unit[0])} ${unit[1]}`;
}

/** How long ago something was: "just now", "5 min ago". */
export function ago(milliseconds: number): string {
  return milliseconds < 60_000 ? "just now" : `${age(milliseconds)} ago`;
}

// Moments on the campaign's own clock; `offset` is its local time minus UTC in milliseconds.

/** "Mon 14:05" */
export function clockTime(at: number, offset: number): string {
  return `${weekday(at, offset)} ${hour(at, offset)}`;
}

/** What may be long ago: "Mon 14:05" within six days, else "1 Jun 2026". */
export function clockDay(at: number, now: number, offset: number): string {
  return Math.abs(now - at) < 6 * 86_400_000 ? clockTime(at, offset) : date(at, offset);
}

/** "1 Jun 14:05" */
export function shortTime(at: number, offset: number): string {
  return `${dayOf(at, offset)} ${hour(at, offset)}`;
}

/** "1 Jun 2026, 14:05" */
export function dated(at: number, offset: number): string {
  return `${date(at, offset)}, ${hour(at, offset)}`;
}

/** "Mon 23 Nov" */
export function dayTitle(at: number, offset: number): string {
  return `${weekday(at, offset)} ${dayOf(at, offset)}`;
}

/** To the second: "1 Jun 2026, 14:05:09" */
export function fullTime(at: number, offset: number): string {
  return `${dated(at, offset)}:${two(new Date(at + offset).getUTCSeconds())}`;
}

// Moments on this machine's clock.

/** "10:02" today, else as `clockDay`. */
export function timeHere(at: number, now: number): string {
  return dayOf(at, offsetHere(at)) === dayOf(now, offsetHere(now)) && now - at < 86_400_000 ? hour(at, offsetHere(at)) : clockDay(at, now, offsetHere(at));
}

/** "12:03:20" */
export function secondHere(at: number): string {
  return `${hour(at, offsetHere(at))}:${two(new Date(at).getSeconds())}`;
}

const offsetHere = (at: number) => -new Date(at).getTimezoneOffset() * 60_000;

const date = (at: number, offset: number) => `${dayOf(at, offset)} ${new Date(at + offset).getUTCFullYear()}`;

function weekday(at: number, offset: number): string {
  return DAYS[new Date(at + offset).getUTCDay()] ?? "";
}

/** "1 Jun" */
function dayOf(at: number, offset: number): string {
  const local = new Date(at + offset);
  return `${local.getUTCDate()} ${MONTHS[local.getUTCMonth()]}`;
}

function hour(at: number, offset: number): string {
  const local = new Date(at + offset);
  return `${two(local.getUTCHours())}:${two(local.getUTCMinutes())}`;
}
