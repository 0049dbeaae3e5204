/** A text with a word put where something was selected, and where the cursor is then. */
export function inserted(text: string, addition: string, from: number, to: number): { text: string; at: number } {
  const begin = Math.min(from, text.length);
  return { text: text.slice(0, begin) + addition + text.slice(Math.min(to, text.length)), at: begin + addition.length };
}
