/** How many rows are asked for at a time; pages begin at multiples of it. */
export const PAGE = 100;

/** The pages (by the index of their first row) that hold the rows from `first` to `last`. */
export function pagesOf(first: number, last: number, total: number, size = PAGE): number[] {
  const end = Math.min(last, total - 1);
  const starts: number[] = [];
  for (let at = Math.floor(Math.max(0, first) / size) * size; at <= end; at += size) starts.push(at);
  return starts;
}

/** Where to begin reading so that the page is reached with the least to skip: behind the nearest row whose cursor is known. */
export function nearestCursor(
  cursors: ReadonlyMap<number, string>,
  index: number,
): { after: string | null; skip: number } {
  let best = 0;
  for (const at of cursors.keys()) if (at <= index && at > best) best = at;
  return { after: best === 0 ? null : (cursors.get(best) ?? null), skip: index - best };
}

/** Which pages to keep when there are more than `most`: those around what is shown. */
export function pagesToKeep(loaded: Iterable<number>, shown: number, most: number): number[] {
  return [...loaded].sort((a, b) => Math.abs(a - shown) - Math.abs(b - shown)).slice(0, most);
}
