import type { Draft } from "../../lib/api/generated";
import { hides } from "../../lib/format/hiddenCharacters";

/** Why a key alone does not approve this draft; empty if it does. */
export function whyNotByKey({ note, text }: Pick<Draft, "note" | "text">): string {
  if (note.held && note.doubt) return "Not approved: say first whether they are the same person.";
  if (note.held) return "Not approved: decide first whether this campaign may contact them.";
  return hides(text) ? "Not approved: this message contains hidden characters. Read it, then use its own button." : "";
}
