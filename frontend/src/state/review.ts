/** Characters as the server and the site count them: UTF-16 units, so that most emoji are two. */
export const countCharacters = (text: string): number => text.length;

/** What is chosen in a list: the row's id, and where it stood. */
export interface Choice {
  id: string;
  index: number;
}

/** What is chosen now: the same row wherever it is; if it is gone, what took its place; nothing in an empty list. */
export function standing(ids: readonly string[], choice: Choice | null): Choice | null {
  const found = choice === null ? -1 : ids.indexOf(choice.id);
  return at(ids, found >= 0 ? found : (choice?.index ?? 0));
}

/** What is chosen after moving by `by`. */
export function moved(ids: readonly string[], choice: Choice | null, by: number): Choice | null {
  const now = standing(ids, choice);
  return now === null ? null : at(ids, now.index + by);
}

/** The marked ids after everything between two places was marked as well. */
export function markedThrough(ids: readonly string[], marked: ReadonlySet<string>, from: number, to: number): ReadonlySet<string> {
  return new Set([...marked, ...ids.slice(Math.min(from, to), Math.max(from, to) + 1)]);
}

/** The marked ids after this one was marked, or unmarked. */
export function toggled(marked: ReadonlySet<string>, id: string): ReadonlySet<string> {
  return marked.has(id) ? without(marked, id) : new Set([...marked, id]);
}

export function without(set: ReadonlySet<string>, id: string): ReadonlySet<string> {
  return new Set([...set].filter((other) => other !== id));
}

function at(ids: readonly string[], index: number): Choice | null {
  const place = Math.min(Math.max(index, 0), ids.length - 1);
  const id = ids[place];
  return id === undefined ? null : { id, index: place };
}
