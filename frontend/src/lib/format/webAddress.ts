import { hides } from "./hiddenCharacters";

/** A web address as one reads it: letters and digits of every script in place of their codes; any other code stays. */
export const readable = (address: string): string =>
  address.replace(/(?:%[0-9a-f]{2})+/gi, (codes) => {
    try {
      const text = decodeURIComponent(codes);
      return /^[\p{L}\p{M}\p{N}]+$/u.test(text) && !hides(text) ? text : codes;
    } catch {
      return codes;
    }
  });
