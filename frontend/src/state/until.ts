import { formatDuration } from "./duration";

/** When a held gate may change, seen from `now` (both ms UTC on the campaign's clock); null means: only by somebody's act. */
export function describeUntil(until: number | null, now: number): string {
  if (until === null) return "until you act";
  return until <= now ? "any moment" : `in ${formatDuration(until - now)}`;
}

/** A moment on the campaign's own clock, as "Mon 14:05"; `offset` is its local time minus UTC in milliseconds. */
export function clockTime(at: number, offset: number): string {
  const local = new Date(at + offset);
  const day = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"][local.getUTCDay()] ?? "";
  const two = (value: number) => String(value).padStart(2, "0");
  return `${day} ${two(local.getUTCHours())}:${two(local.getUTCMinutes())}`;
}
