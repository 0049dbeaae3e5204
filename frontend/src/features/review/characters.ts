/** Characters as the server and the site count them: UTF-16 units, so that most emoji are two. */
export const countCharacters = (text: string): number => text.length;

/** The text within the limit: up to the end of a sentence if that keeps most of it, else of a word. */
export function shortened(text: string, limit: number): string {
  if (countCharacters(text) <= limit) return text;
  let cut = text.slice(0, limit);
  if (/[\uD800-\uDBFF]$/.test(cut)) cut = cut.slice(0, -1);
  const sentence = Math.max(...[". ", "! ", "? ", "\n"].map((end) => cut.lastIndexOf(end) + 1));
  if (sentence > limit / 2) return cut.slice(0, sentence).trim();
  const lastSpace = cut.search(/\s\S*$/);
  return (lastSpace > 0 ? cut.slice(0, lastSpace) : cut).trim();
}
