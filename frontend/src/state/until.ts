import { formatDuration } from "./duration";

/** When a held gate may change, seen from `now` (both ms UTC on the campaign's clock); null means: only by somebody's act. */
export function describeUntil(until: number | null, now: number): string {
  if (until === null) return "until you act";
  return until <= now ? "any moment" : `in ${formatDuration(until - now)}`;
}

/** A moment that may be long ago, on the campaign's own clock: "Mon 14:05" within six days, else "1 Jun 2026". */
export function clockDay(at: number, now: number, offset: number): string {
  if (Math.abs(now - at) < 6 * 86_400_000) return clockTime(at, offset);
  return new Date(at + offset).toLocaleDateString("en-GB", { timeZone: "UTC", day: "numeric", month: "short", year: "numeric" });
}

/** A moment on the campaign's own clock, as "Mon 14:05"; `offset` is its local time minus UTC in milliseconds. */
export function clockTime(at: number, offset: number): string {
  const local = new Date(at + offset);
  const day = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"][local.getUTCDay()] ?? "";
  const two = (value: number) => String(value).padStart(2, "0");
  return `${day} ${two(local.getUTCHours())}:${two(local.getUTCMinutes())}`;
}
