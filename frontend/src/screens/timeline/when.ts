import { formatDuration } from "../../state/duration";

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const two = (value: number) => String(value).padStart(2, "0");

/** A moment on the campaign's own clock: "1 Jun 14:05"; `offset` is its local time minus UTC in milliseconds. */
export function shortTime(at: number, offset: number): string {
  const local = new Date(at + offset);
  return `${local.getUTCDate()} ${MONTHS[local.getUTCMonth()]} ${two(local.getUTCHours())}:${two(local.getUTCMinutes())}`;
}

/** The same to the second and with its year: "1 Jun 2026, 14:05:09". */
export function fullTime(at: number, offset: number): string {
  const local = new Date(at + offset);
  const day = `${local.getUTCDate()} ${MONTHS[local.getUTCMonth()]} ${local.getUTCFullYear()}`;
  return `${day}, ${two(local.getUTCHours())}:${two(local.getUTCMinutes())}:${two(local.getUTCSeconds())}`;
}

/** How long before `now` that was, in one unit: "3 d ago". */
export function ago(at: number, now: number): string {
  if (now - at < 5_000) return "now";
  const [value, unit] = formatDuration(now - at).split(" ");
  return `${Math.floor(Number(value))} ${unit} ago`;
}
