/** Characters as the server counts them: code points, so an emoji of one code point is one. */
export function countCharacters(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** Which draft is selected after moving by `by`; the first when none was, none when there are none. */
export function moveSelection(ids: readonly string[], selected: string | null, by: number): string | null {
  const index = selected === null ? -1 : ids.indexOf(selected);
  if (index < 0) return ids[0] ?? null;
  return ids[Math.min(Math.max(index + by, 0), ids.length - 1)] ?? null;
}

/** Which draft is selected when the list changed: the same if it is still there, else the one that took its place. */
export function keepSelection(before: readonly string[], after: readonly string[], selected: string | null): string | null {
  if (selected === null) return after[0] ?? null;
  if (after.includes(selected)) return selected;
  const index = before.indexOf(selected);
  const next = before.slice(Math.max(index, 0)).find((id) => after.includes(id));
  return next ?? after[after.length - 1] ?? null;
}

export type Command = "next" | "previous" | "approve" | "edit" | "reject";

const KEYS: Record<string, Command> = { j: "next", k: "previous", a: "approve", e: "edit", r: "reject" };

/** The command of a key press; none while typing, with a modifier, or when the key is held down. */
export function commandOf(
  press: Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey" | "repeat">,
  typing: boolean,
): Command | null {
  if (typing || press.ctrlKey || press.metaKey || press.altKey) return null;
  const command = KEYS[press.key.toLowerCase()] ?? null;
  return press.repeat && command !== "next" && command !== "previous" ? null : command;
}
