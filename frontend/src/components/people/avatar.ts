/** The letters and the colour that stand for a person; both follow from the name alone. */

const COLOURS = 3;

/** "Clara Weiss" → "CW", "Ada" → "A"; letters of any script, "?" where there is none. */
export function initials(name: string): string {
  const words = name.split(/[\s\-–—]+/u).flatMap((word) => Array.from(word).find((c) => /\p{L}/u.test(c)) ?? []);
  const [first, last] = [words[0], words.length > 1 ? words.at(-1) : undefined];
  return `${first ?? "?"}${last ?? ""}`.toLocaleUpperCase();
}

/** Which of the colours: the same one for the same name, on every machine. */
export function colourOf(name: string): number {
  let hash = 0;
  for (const c of name) hash = (hash * 31 + (c.codePointAt(0) ?? 0)) % 1_000_003;
  return hash % COLOURS;
}
