import { HIDDEN_CHARACTERS, UNSENDABLE_CHARACTERS } from "../api/generated";

/** A stretch of a text as it is, or a mark for characters that nobody would see, or that would turn the text around. */
export type Piece = { text: string } | { mark: string; title: string; count: number };

/** Names for what is met most often; what is hidden is decided by `HIDDEN_CHARACTERS` alone. */
const NAMES: Record<string, string> = {
  "00": "null",
  "0d": "carriage return",
  a0: "no-break space",
  ad: "soft hyphen",
  "200b": "zero-width space",
  "200c": "zero-width non-joiner",
  "200d": "zero-width joiner",
  "200e": "left-to-right mark",
  "200f": "right-to-left mark",
  "61c": "Arabic letter mark",
  "202f": "narrow no-break space",
  "2028": "line separator",
  "2029": "paragraph separator",
  "202a": "left-to-right embedding",
  "202b": "right-to-left embedding",
  "202c": "end of direction",
  "202d": "left-to-right override",
  "202e": "right-to-left override",
  "2800": "blank Braille pattern",
  "3000": "ideographic space",
  "3164": "Hangul filler",
  "2060": "word joiner",
  "2066": "left-to-right isolate",
  "2067": "right-to-left isolate",
  "2068": "first strong isolate",
  "2069": "end of isolate",
  feff: "zero-width no-break space",
};

/** A text in pieces, every hidden character shown; together they lose nothing. At most `most` marks, the rest as one. */
export function pieces(text: string, most = 500): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  let marks = 0;
  for (const run of runs(text)) {
    if (run.start > from) pieces.push({ text: text.slice(from, run.start) });
    from = run.end;
    if (++marks > most) {
      pieces.push({ mark: "…", title: `${text.length - run.start} more characters, many of them hidden`, count: 1 });
      return pieces;
    }
    pieces.push({ mark: codePoint(run.character), title: nameOf(run.character), count: run.count });
  }
  if (from < text.length) pieces.push({ text: text.slice(from) });
  return pieces;
}

/** The code points of what a text hides, each once: what is told with an approval of it. */
export const hiddenCodePoints = (text: string): string[] => [
  ...new Set(Array.from(runs(text), (run) => codePoint(run.character))),
];

/** Whether a text holds anything that is not seen. */
export const hides = (text: string): boolean => !runs(text).next().done;

/** Why a text that messages say is refused: the first hidden character that none may hold; empty if there is none. */
export function unsendable(text: string): string {
  const run = [...runs(text)].find(({ character }) => UNSENDABLE_CHARACTERS.test(character));
  return run === undefined ? "" : `It has a hidden character that must not be sent (${codePoint(run.character)}): ${reveal(text.slice(Math.max(0, run.start - 12), run.end + 12).trim())}. Type that place anew.`;
}

/** A name or another short text on one line, spelled as the terminal and the prompt spell it. */
export function reveal(text: string): string {
  let shown = "";
  let from = 0;
  for (const run of runs(text)) {
    const mark = codePoint(run.character) + (run.count > 1 ? ` x${run.count}` : "");
    shown += `${text.slice(from, run.start)}[${mark}]`;
    from = run.end;
  }
  return shown + text.slice(from);
}

interface Run {
  start: number;
  end: number;
  character: string;
  count: number;
}

const PLAIN = /^[\t\n\x20-\x7e]*$/;

/** The same hidden character once or several times in a row. */
function* runs(text: string): Generator<Run> {
  if (PLAIN.test(text)) return;
  for (const match of text.matchAll(HIDDEN_CHARACTERS)) {
    const character = match[1];
    if (character === undefined) continue;
    const length = match[0].length;
    yield { start: match.index, end: match.index + length, character, count: length / character.length };
  }
}

const hex = (character: string): string => (character.codePointAt(0) ?? 0).toString(16);
const codePoint = (character: string): string => `U+${hex(character).toUpperCase().padStart(4, "0")}`;
const nameOf = (character: string): string => NAMES[hex(character).padStart(2, "0")] ?? "hidden character";
