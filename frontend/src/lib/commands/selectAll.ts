import { keyName } from "./shortcuts";

const FIELDS = "input:not([type=checkbox]), textarea, [contenteditable]";
const TEXTS = "pre, blockquote";

/** Ctrl+A, where it is no command: all of the text that was clicked into, and never the whole page with its buttons. */
export function selectText(event: KeyboardEvent, selection: Selection | null): void {
  if (event.defaultPrevented || keyName(event) !== "mod+a") return;
  if ((event.target as Partial<Element> | null)?.closest?.(FIELDS)) return;
  event.preventDefault();
  const clicked = selection?.anchorNode ?? null;
  const text = (clicked as Partial<Element> | null)?.closest?.(TEXTS) ?? clicked?.parentElement?.closest(TEXTS);
  if (text) selection?.selectAllChildren(text);
}
