/** With a capital letter in front. */
export const capitalised = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);
