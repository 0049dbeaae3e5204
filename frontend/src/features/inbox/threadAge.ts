import { ago } from "../../lib/format/dates";

/** How long ago a thread was last looked at, and whether it is too old to send anything on it. Times in ms, on the campaign's clock. */
export interface Freshness {
  text: string;
  stale: boolean;
}

/** `fresh` is how long a reading serves; `going` is whether anything may still be sent to them. */
export function freshness(readAt: number | null, now: number, fresh: number, going: boolean): Freshness {
  if (readAt === null) return { text: "never checked", stale: going };
  const age = Math.max(0, now - readAt);
  return { text: `checked ${ago(age)}`, stale: going && age > fresh };
}
