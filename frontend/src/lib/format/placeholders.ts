import { reveal } from "./hiddenCharacters";

/** What may be a placeholder, as it is told beside a draft; the empty text if nothing may. */
export const doubt = (placeholders: readonly string[]): string =>
  placeholders.length > 0 ? `This may be a placeholder: ${reveal(placeholders.join(", "))}` : "";

/** The same of a template, and what it means for its messages. */
export const doubtSentences = (placeholders: readonly string[]): string[] =>
  placeholders.length > 0 ? [`${doubt(placeholders)}. Each message with it is approved by itself.`] : [];
