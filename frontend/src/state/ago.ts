const UNITS: readonly [number, string][] = [
  [86_400_000, "d"],
  [3_600_000, "h"],
  [60_000, "min"],
];

/** How long ago something was, in one unit; what is less than a minute ago, or still to come, is "just now". */
export function ago(milliseconds: number): string {
  const unit = UNITS.find(([length]) => milliseconds >= length);
  return unit === undefined ? "just now" : `${Math.floor(milliseconds / unit[0])} ${unit[1]} ago`;
}

/** A size for people: "0 kB", "840 kB", "1.2 MB", "3.4 GB". */
export function bytes(count: number): string {
  if (count < 1_000_000) return `${Math.ceil(count / 1_000)} kB`;
  return count < 1_000_000_000 ? `${(count / 1_000_000).toFixed(1)} MB` : `${(count / 1_000_000_000).toFixed(1)} GB`;
}
