/** A sentence in pieces: what stands between two backticks is code. */
export function spans(text: string): { text: string; code: boolean }[] {
  return text.split(/`([^`]+)`/).map((text, at) => ({ text, code: at % 2 === 1 }));
}
