/** The selected row of a list: its id, and the index it had. */
export interface Place {
  id: string;
  index: number;
}

/** What is selected now: the same row wherever it is; if it is gone, what took its place; nothing in an empty list. */
export function selected(ids: readonly string[], position: Place | null): Place | null {
  const index = position === null ? -1 : ids.indexOf(position.id);
  return at(ids, index >= 0 ? index : (position?.index ?? 0));
}

/** What is selected after moving by `by`. */
export function moved(ids: readonly string[], position: Place | null, by: number): Place | null {
  const now = selected(ids, position);
  return now === null ? null : at(ids, now.index + by);
}

/** The marked ids after everything between two places was marked as well. */
export function markedThrough(
  ids: readonly string[],
  marked: ReadonlySet<string>,
  from: number,
  to: number,
): ReadonlySet<string> {
  return new Set([...marked, ...ids.slice(Math.min(from, to), Math.max(from, to) + 1)]);
}

/** The marked ids after this one was marked, or unmarked. */
export function toggled(marked: ReadonlySet<string>, id: string): ReadonlySet<string> {
  return marked.has(id) ? without(marked, id) : new Set([...marked, id]);
}

export function without(set: ReadonlySet<string>, id: string): ReadonlySet<string> {
  return new Set([...set].filter((other) => other !== id));
}

function at(ids: readonly string[], index: number): Place | null {
  const nearest = Math.min(Math.max(index, 0), ids.length - 1);
  const id = ids[nearest];
  return id === undefined ? null : { id, index: nearest };
}
