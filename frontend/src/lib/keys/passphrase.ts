import { plural } from "../format/numbers";
import type { VaultStatus } from "../api/generated";

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
      words: `At least ${LEAST} characters; four or five unrelated words work best.`,
    };
  if (letters.length < LEAST)
    return { enough: false, words: `${plural(LEAST - letters.length, "more character")}, at least.` };
  if (new Set(letters.map((letter) => letter.toLowerCase())).size < 5)
    return { enough: false, words: "It repeats itself, so it is easy to guess." };
  if (/^[\d\s\p{P}]+$/u.test(text)) return { enough: true, words: "Digits alone are easy to guess; words are better." };
  if (letters.length < LONG)
    return {
      enough: true,
      words: "Hard for a person to guess, but not for a computer. Another word or two would help.",
    };
  return { enough: true, words: "Hard to guess, unless it is a quotation or a line from a song." };
}

/** What keeps a new passphrase, typed twice, from being used. */
export function wrongPassphrase(first: string, second: string): { first?: string; second?: string } {
  const judged = strength(first);
  if (!judged.enough) return { first: judged.words };
  return first === second ? {} : { second: "The two do not match." };
}

/** Whether this machine has no place for what opens the keys, so that a passphrase has to be chosen first. */
export const wantsPassphrase = (vault: Pick<VaultStatus, "state" | "needs">): boolean =>
  vault.state === "none" && vault.needs === "passphrase";
