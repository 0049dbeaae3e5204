import { expect, test } from "vitest";
import { selectText } from "./selectAll";

/** What a press of Ctrl+A does: whether the browser's own select-all is kept from it, and what is selected instead. */
function pressed(within: readonly string[], clicked: object | null, key = "a", prevented = false) {
  const selected: unknown[] = [];
  let prevents = false;
  const target = { closest: (selector: string) => (within.some((name) => selector.includes(name)) ? {} : null) };
  const event = { key, ctrlKey: true, defaultPrevented: prevented, target, preventDefault: () => (prevents = true) };
  const selection = { anchorNode: clicked, selectAllChildren: (node: unknown) => selected.push(node) };
  selectText(event as unknown as KeyboardEvent, selection as unknown as Selection);
  return { prevents, selected };
}

test("Ctrl+A selects the text that was clicked into, and never the page", () => {
  const quote = {};
  expect(pressed([], { parentElement: { closest: () => quote } })).toEqual({ prevents: true, selected: [quote] });
  expect(pressed([], { parentElement: { closest: () => null } })).toEqual({ prevents: true, selected: [] });
  expect(pressed([], null)).toEqual({ prevents: true, selected: [] });
});

test("a field, another key, and a screen that gives it a meaning keep theirs", () => {
  expect(pressed(["textarea"], null).prevents).toBe(false);
  expect(pressed([], null, "c").prevents).toBe(false);
  expect(pressed([], null, "a", true).prevents).toBe(false);
});
