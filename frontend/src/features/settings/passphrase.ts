import { plural } from "../../lib/format/numbers";

/** What can be said of a passphrase while it is typed; `enough` when it may be used. */
export interface Strength {
  enough: boolean;
  words: string;
}

const LEAST = 10;
const LONG = 20;

/** How hard a passphrase is to guess, in words. It is judged here and nowhere else, and by its shape only. */
export function strength(text: string): Strength {
  const letters = [...text];
  if (letters.length === 0)
    return {
      enough: false,
      words: `At least ${LEAST} characters; four or five words that do not belong together are best.`,
    };
  if (letters.length < LEAST)
    return { enough: false, words: `${plural(LEAST - letters.length, "more character")}, at least.` };
  if (new Set(letters.map((one) => one.toLowerCase())).size < 5)
    return { enough: false, words: "It repeats itself, so it is soon guessed." };
  if (/^[\d\s\p{P}]+$/u.test(text)) return { enough: true, words: "Digits alone are soon guessed; words are better." };
  if (letters.length < LONG)
    return {
      enough: true,
      words: "Hard to guess by hand, not by a machine with time. Another word or two would help.",
    };
  return { enough: true, words: "Hard to guess, unless it can be read somewhere: no quotation, no line of a song." };
}
