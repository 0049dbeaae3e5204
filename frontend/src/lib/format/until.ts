import { dayAndTime } from "./dates";
import { roundedUp } from "./duration";
import type { UtcOffsets } from "./localTime";

/** When a held gate may change, seen from `now` (both ms UTC on the campaign's clock); null means: only by somebody's act. */
export function describeUntil(until: number | null, now: number): string {
  if (until === null) return "until you act";
  return until <= now ? "any moment" : `in ${roundedUp(until - now)}`;
}

const SOON = 12 * 3_600_000;

/** A whole sentence, without its full stop: "May change in 2 min", and from half a day on "Not before Mon 30 Nov, 09:00". */
export function mayChange(until: number | null, now: number, offsets: UtcOffsets): string {
  if (until === null) return "Until you act";
  return until - now < SOON ? `May change ${describeUntil(until, now)}` : `Not before ${dayAndTime(until, now, offsets)}`;
}
