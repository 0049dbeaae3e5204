import { roundedUp } from "./duration";

/** When a held gate may change, seen from `now` (both ms UTC on the campaign's clock); null means: only by somebody's act. */
export function describeUntil(until: number | null, now: number): string {
  if (until === null) return "until you act";
  return until <= now ? "any moment" : `in ${roundedUp(until - now)}`;
}
