/** A stretch of a text as it is, or a mark for characters that nobody would see, or that would turn the text around. */
export type Piece = { text: string } | { mark: string; title: string; count: number };

/**
 * What is invisible: control characters but line feed and tab, and what Unicode says to ignore in display (zero width, soft
 * hyphens, direction marks, tags), line and paragraph separators, half a surrogate pair.
 */
const HIDDEN = /(?![\n\t])[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/u;
const RUNS = /((?![\n\t])[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb])\1*/gu;

/** A joiner or a style where a script or an emoji needs it is no secret. */
const JOINS = /[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f]$/u;
const PICTURE = /^\p{Extended_Pictographic}/u;
const LETTER_BEFORE = /(?!\p{Script=Latin})[\p{L}\p{M}]$/u;
const LETTER_AFTER = /^(?!\p{Script=Latin})[\p{L}\p{M}]/u;

const NAMES: Record<string, string> = {
  "00": "null", "0d": "carriage return", ad: "soft hyphen", "200b": "zero-width space", "200c": "zero-width non-joiner",
  "200d": "zero-width joiner", "200e": "left-to-right mark", "200f": "right-to-left mark", "61c": "Arabic letter mark",
  "2028": "line separator", "2029": "paragraph separator", "202a": "left-to-right embedding", "202b": "right-to-left embedding",
  "202c": "end of direction", "202d": "left-to-right override", "202e": "right-to-left override", "2060": "word joiner",
  "2066": "left-to-right isolate", "2067": "right-to-left isolate", "2068": "first strong isolate", "2069": "end of isolate",
  feff: "zero-width no-break space",
};

/** A text in pieces, every hidden character shown; together they lose nothing. At most `most` marks, the rest as one. */
export function pieces(text: string, most = 500): Piece[] {
  if (!HIDDEN.test(text)) return text === "" ? [] : [{ text }];
  const found: Piece[] = [];
  let from = 0;
  let marks = 0;
  for (const run of text.matchAll(RUNS)) {
    const end = run.index + run[0].length;
    if (wanted(text, run[0], run.index, end)) continue;
    if (run.index > from) found.push({ text: text.slice(from, run.index) });
    from = end;
    if (++marks > most) {
      found.push({ mark: "…", title: `${text.length - run.index} more characters, many of them hidden`, count: 1 });
      return found;
    }
    const character = run[1] ?? "";
    found.push({ ...spelled(character), count: run[0].length / character.length });
  }
  if (from < text.length) found.push({ text: text.slice(from) });
  return found;
}

/** Whether a text holds anything that is not seen. */
export const hides = (text: string): boolean => pieces(text).some((piece) => "mark" in piece);

function wanted(text: string, run: string, start: number, end: number): boolean {
  const before = text.slice(Math.max(0, start - 4), start);
  if (run === "\ufe0f" || run === "\ufe0e") return start > 0;
  if (run !== "\u200d" && run !== "\u200c") return false;
  const after = text.slice(end, end + 4);
  return (run === "\u200d" && JOINS.test(before) && PICTURE.test(after)) || (LETTER_BEFORE.test(before) && LETTER_AFTER.test(after));
}

function spelled(character: string): { mark: string; title: string } {
  const point = (character.codePointAt(0) ?? 0).toString(16);
  const mark = `U+${point.toUpperCase().padStart(4, "0")}`;
  return { mark, title: NAMES[point.padStart(2, "0")] ?? "hidden character" };
}
