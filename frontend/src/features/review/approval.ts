import type { Draft } from "../../lib/api/generated";
import { hides } from "../../lib/format/hiddenCharacters";

/** Whether it has something that is approved only by whoever read it alone: by its own button, never among several. */
export const needsOwnApproval = ({ text, placeholders }: Pick<Draft, "text" | "placeholders">): boolean => placeholders.length > 0 || hides(text);

/** Why a key alone does not approve this draft; empty if it does. */
export function whyNotByKey({ note, text, placeholders }: Pick<Draft, "note" | "text" | "placeholders">): string {
  if (note.held && note.doubt) return "Not approved: say first whether they are the same person.";
  if (note.held) return "Not approved: decide first whether this campaign may contact them.";
  if (hides(text)) return "Not approved: this message contains hidden characters. Read it, then use its own button.";
  return placeholders.length > 0 ? "Not approved: this message may contain a placeholder. Read it, then use its own button." : "";
}
