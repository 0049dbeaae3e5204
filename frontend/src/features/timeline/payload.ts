/** A payload for people: JSON with line breaks, and what is no JSON (any more) as it is. */
export function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
