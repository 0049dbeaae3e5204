/** A count for people: "12,000". */
export const count = (n: number): string => n.toLocaleString("en");

/** A count of things: "1 lead", "12,000 leads". */
export const plural = (n: number, singular: string, several = `${singular}s`): string => `${count(n)} ${n === 1 ? singular : several}`;

/** A size for people: "0 kB", "840 kB", "1.2 MB", "3.4 GB". */
export function bytes(size: number): string {
  if (size < 1_000_000) return `${Math.ceil(size / 1_000)} kB`;
  return size < 1_000_000_000 ? `${(size / 1_000_000).toFixed(1)} MB` : `${(size / 1_000_000_000).toFixed(1)} GB`;
}

/** A part of a whole as "12 %"; "–" if the whole is 0. */
export function percent(part: number, whole: number): string {
  return whole === 0 ? "–" : `${Math.round((100 * part) / whole)} %`;
}
