/** With a capital letter in front. */
export const capitalised = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);

/** With a small letter in front: what is a sentence elsewhere, within one. */
export const uncapitalised = (words: string): string => words.charAt(0).toLowerCase() + words.slice(1);
