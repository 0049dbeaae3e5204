import { PLAIN_COMMANDS } from "../../lib/api/generated";
import type { Ask, Attach, PlainCommand } from "../../lib/api/generated";

/** Something that goes with a message: pasted text, or a file behind a ticket of this launch. `file` when it can be handed over again. */
export interface Attachment {
  id: number;
  name: string;
  /** Bytes. */
  size: number;
  text: string | null;
  ticket: string;
  file: File | null;
  /** Outrider was started again and does not know the ticket any more. */
  gone: boolean;
}

export const MOST_ATTACHED = 5;
export const MOST_TEXT = 20_000;
const LONG = 600;
const MOST_PASTED = 1_000_000;

/** Whether what is pasted is a document rather than a part of a sentence. */
export function isDocument(pasted: string): boolean {
  return pasted.length <= MOST_PASTED && (pasted.length > LONG || /[\r\n]/.test(pasted.replace(/\s+$/, "")));
}

/** A name that none of the others has: "pasted text", "pasted text 2". */
export function freeName(name: string, taken: readonly string[]): string {
  if (!taken.includes(name)) return name;
  let n = 2;
  while (taken.includes(`${name} ${n}`)) n += 1;
  return `${name} ${n}`;
}

/** A message put into another text at the place of the cursor, on lines of its own. */
export function putInto(text: string, start: number, end: number, what: string): string {
  const [before, after] = [text.slice(0, start), text.slice(end)];
  return `${before}${before === "" || before.endsWith("\n") ? "" : "\n"}${what}${after === "" || /^\r?\n/.test(after) ? "" : "\n"}${after}`;
}

/** What is sent, but its key. */
export function content(text: string, attached: readonly Attachment[]): Omit<Ask, "key" | "command"> {
  return {
    text: text.trim(),
    attached: attached.map(({ name, text, ticket }): Attach =>
      text === null ? { name, text: null, ticket } : { name, text, ticket: null },
    ),
  };
}

/** The message that was tried last. */
export interface Tried {
  key: string;
  text: string;
  attached: string;
}

/** The same message sent again is the same request, another one is another. */
export function tryWith(
  before: Tried | null,
  text: string,
  attached: readonly Attachment[],
  fresh: () => string,
): Tried {
  const which = attached.map((attachment) => attachment.id).join(" ");
  return before !== null && before.text === text && before.attached === which
    ? before
    : { key: fresh(), text, attached: which };
}

/** One step through what was said before: `at` is the place shown (-1: none), what is typed meanwhile ends the walk. */
export function recalled(messages: readonly string[], at: number, by: 1 | -1): { at: number; text: string } | null {
  const to = at + by;
  if (to < -1 || to >= messages.length) return null;
  return { at: to, text: messages[to] ?? "" };
}

/** The command that a whole message is understood as; upper case, blanks and punctuation mean nothing. */
export function commandOf(text: string, attached: number): PlainCommand | null {
  const words = text.replace(/[^\p{L}\p{N}_]+/gu, " ").trim().toLowerCase();
  return attached === 0 && Object.hasOwn(PLAIN_COMMANDS, words) ? PLAIN_COMMANDS[words]! : null;
}
