import type { Draft } from "../../lib/api/generated";
import { hides } from "../../lib/format/hiddenCharacters";

type Text = Pick<Draft, "step" | "text" | "parts" | "placeholders">;

/** Why this text deserves a closer look than the others of the list; null when it is worded like them. */
export function whyUnusual(draft: Text, others: readonly Text[]): string | null {
  if (hides(draft.text)) return "Hidden characters";
  if (draft.placeholders.length > 0) return "Maybe a placeholder";
  const unknown = draft.parts.find((part) => part.fallback);
  if (unknown) return `No ${unknown.variable.replaceAll("_", " ")} known`;
  const worded = draft.parts.length === 0;
  return worded && others.some((other) => other.step === draft.step && other.parts.length > 0) ? "Different wording" : null;
}

/** The unusual ones first; otherwise as they were. */
export function unusualFirst<One extends Text>(drafts: readonly One[]): readonly One[] {
  const [odd, usual]: [One[], One[]] = [[], []];
  for (const draft of drafts) (whyUnusual(draft, drafts) === null ? usual : odd).push(draft);
  return [...odd, ...usual];
}
