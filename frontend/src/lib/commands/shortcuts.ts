import { capitalised } from "../format/capitalised";

/** Something the user can do by key or through the palette. `keys` such as "j", "?", "shift+j", "mod+k", "g r"; several by "|". */
export interface Command {
  id: string;
  title: string;
  group: string;
  keys?: string;
  /** Said beside the title in the palette, such as the campaign of a person. */
  beside?: string;
  /** Whose name the title has: the palette does not find it by that, because a name finds people. */
  person?: string;
  /** Other words by which the palette finds it. */
  words?: string;
  /** Goes on repeating while the key is held down. */
  repeats?: boolean;
  /** In the palette only what makes sense there; moving a selection does not. */
  hidden?: boolean;
  run: () => void;
}

export type Press = Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey" | "repeat">;

/** How long after `g` the second key may come, in milliseconds. */
export const SEQUENCE = 1_200;

/** What means something in every field. */
const OF_FIELDS: ReadonlySet<string> = new Set(["mod+a"]);

/** A key press as the registry spells it; null for what is no shortcut, such as a modifier by itself. */
export function keyName(press: Press): string | null {
  if (press.altKey || ["Control", "Meta", "Shift", "Alt", "AltGraph"].includes(press.key)) return null;
  const small = press.key.toLowerCase();
  // Of what is not a letter, shift is already in the key: "?" and not "shift+/".
  const shifted = press.shiftKey && (press.key.length > 1 || small !== press.key.toUpperCase()) ? "shift+" : "";
  const key = `${shifted}${press.key.length === 1 ? small : press.key}`;
  return press.ctrlKey || press.metaKey ? `mod+${key}` : key;
}

/** Whether it is a character by itself, in which some people dictate or slip (WCAG 2.1.4), and no combination or named key. */
export const isCharacter = (key: string): boolean => key.replace("shift+", "").length === 1;

/**
 * The command that a press means. `before` is the key pressed just before it, such as "g"; while typing only what has a
 * modifier counts, and without `characters` no character by itself does. Of two commands with the same keys the one registered
 * last is meant: the innermost screen's.
 */
export function findCommand(
  commands: readonly Command[],
  press: Press,
  before: string | null,
  typing: boolean,
  characters = true,
): Command | null {
  const key = keyName(press);
  if (key === null || (!characters && isCharacter(key))) return null;
  if (typing && !(key === "F5" || (key.startsWith("mod+") && !OF_FIELDS.has(key)))) return null;
  const candidates = before === null ? [key] : [`${before} ${key}`, key];
  for (const keys of candidates) {
    const command = commands.findLast((command) => command.keys?.split("|").includes(keys));
    if (command) return press.repeat && !command.repeats ? null : command;
  }
  return null;
}

/** Whether a key begins a sequence. */
export const startsSequence = (commands: readonly Command[], key: string): boolean =>
  commands.some((command) => command.keys?.split("|").some((keys) => keys.startsWith(`${key} `)));

/** The keys for people, one for each cap, as buttons show them: "Ctrl K"; "g" and then "r". */
export function keyLabels(keys: string, mac: boolean): string[] {
  const [first = ""] = keys.split("|");
  return first.split(" ").map((key) => {
    const named = key.replace("mod+", "").replace("shift+", "");
    const cap = named === "Escape" ? "Esc" : named === "Enter" ? "↵" : named !== key ? capitalised(named) : named;
    const ctrl = key.startsWith("mod+") ? (mac ? "⌘" : "Ctrl ") : "";
    const shift = key.includes("shift+") ? (mac ? "⇧" : "Shift ") : "";
    return `${ctrl}${shift}${cap}`;
  });
}

/** Commands by group, both in the order in which they were offered; a key that means nothing is no command to show. */
export function groupCommands(commands: readonly Command[]): [string, Command[]][] {
  const groups = new Map<string, Command[]>();
  for (const command of commands) if (command.title) groups.set(command.group, [...(groups.get(command.group) ?? []), command]);
  return [...groups];
}

/** What the palette offers for a few typed letters: every word must begin a word of the title or the group. */
export function searchCommands(commands: readonly Command[], text: string): Command[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return commands.filter((command) => {
    if (command.hidden) return false;
    const title = command.person ? command.title.replace(command.person, "") : command.title;
    const names = `${title} ${command.group} ${command.words ?? ""}`.toLowerCase().split(/\s+/);
    return words.every((word) => names.some((name) => name.startsWith(word)));
  });
}
