/** The text with an addition in place of the selection `from`–`to`, and the cursor's place after it. */
export function inserted(text: string, addition: string, from: number, to: number): { text: string; at: number } {
  const begin = Math.min(from, text.length);
  return { text: text.slice(0, begin) + addition + text.slice(Math.min(to, text.length)), at: begin + addition.length };
}
