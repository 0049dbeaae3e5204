import { hides } from "./hiddenCharacters";

/** Content as exactly the bytes it is: its digest, and the ways of looking at it that change nothing. */

export const hexOf = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

/** The SHA-256 that a `Repr-Digest` header names (RFC 9530), in hex; null when it names none. */
export function namedDigest(header: string): string | null {
  const match = /(?:^|,\s*)sha-256=:([A-Za-z0-9+/]{43}=):/.exec(header);
  return match?.[1] === undefined
    ? null
    : hexOf(Uint8Array.from(atob(match[1]), (character) => character.charCodeAt(0)));
}

export async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return hexOf(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
}

/** The text that these bytes are, a byte order mark included; null when they are none. */
export function asText(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** Sixteen bytes a line: where, what, and how they read in ASCII. */
export function hexDump(bytes: Uint8Array, lines: number): string {
  const shown: string[] = [];
  for (let at = 0; at < bytes.length && shown.length < lines; at += 16) {
    const row = Array.from(bytes.subarray(at, at + 16));
    const codes = row.map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
    const letters = row.map((byte) => (byte >= 32 && byte < 127 ? String.fromCharCode(byte) : "·")).join("");
    shown.push(`${at.toString(16).padStart(8, "0")}  ${codes.padEnd(47)}  ${letters}`);
  }
  return shown.join("\n");
}

/** JSON laid out for reading; null for what is no JSON object or array. Numbers may read differently: it is never shown alone. */
export function laidOut(text: string): string | null {
  if (!/^\s*[[{]/.test(text)) return null;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return null;
  }
}

/** What is in the text and cannot be seen. */
export function unseen(text: string): string[] {
  const notes: string[] = [];
  if (text.startsWith("\ufeff")) notes.push("byte order mark");
  const ends = [text.includes("\r\n") && "CRLF", /(?<!\r)\n/.test(text) && "LF", /\r(?!\n)/.test(text) && "CR"].filter(
    (end) => end !== false,
  );
  if (ends.length > 1) notes.push(`mixed line ends: ${ends.join(", ")}`);
  else if (ends[0] !== undefined && ends[0] !== "LF") notes.push(`${ends[0]} line ends`);
  if (text.includes("\0")) notes.push("NUL");
  // What was told above is not told twice.
  if (hides(text.replace(/^\ufeff/, "").replaceAll("\r", "").replaceAll("\0", ""))) notes.push("hidden characters");
  return notes;
}

/** A size as people read it. */
export function sized(bytes: number): string {
  if (bytes < 1_000) return `${bytes} ${bytes === 1 ? "byte" : "bytes"}`;
  return bytes < 1_000_000 ? `${(bytes / 1_000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
