import type { OffsetSince } from "../api/generated";

/** Local time minus UTC, from each moment on; what is before the first has the first's. None: UTC. */
export type UtcOffsets = readonly OffsetSince[];

export const DAY = 86_400_000;

/** What the clock shows at a moment, in ms as if it were UTC. */
export function localTime(at: number, offsets: UtcOffsets): number {
  return at + ((offsets.findLast((offset) => offset.since <= at) ?? offsets[0])?.ms ?? 0);
}

/** The day of a moment by that clock, in days since the epoch. */
export const localDay = (at: number, offsets: UtcOffsets): number => Math.floor(localTime(at, offsets) / DAY);

/** The first moment at which the clock shows this time (as `localTime` has it), or has skipped it. */
export function momentOf(local: number, offsets: UtcOffsets): number {
  for (const [index, { since, ms }] of offsets.entries()) {
    const at = index === 0 ? local - ms : Math.max(local - ms, since);
    if (at < (offsets[index + 1]?.since ?? Infinity)) return at;
  }
  return local;
}
