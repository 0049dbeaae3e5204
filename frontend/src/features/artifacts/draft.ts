import type { ArtifactType } from "../../lib/api/generated";
import { unsaved } from "../../lib/app/unsavedWork";
import { asText } from "../../lib/format/content";

/**
 * Content on its way into the store. A text field knows only LF, so what was chosen, pasted or loaded is kept as the bytes it
 * is until it is changed; a changed text gets the line ends that it had.
 */
export interface Draft {
  /** As given; null once it was changed. */
  exact: Uint8Array | null;
  /** With LF. */
  text: string;
  ending: "\n" | "\r\n";
}

export const EMPTY: Draft = { exact: null, text: "", ending: "\n" };
export const MAX_BYTES = 50_000_000;
/** A text field holds no more; what is larger, or no text, is kept as the file that it is. */
export const MAX_TYPED = 1_000_000;
export const KEY = /^[a-z0-9][a-z0-9_.-]{0,63}$/;

const unix = (text: string): string => text.replace(/\r\n?/g, "\n");

/** A draft of these very bytes; null when they are not text. */
export function given(bytes: Uint8Array): Draft | null {
  const text = asText(bytes);
  if (text === null) return null;
  const windows = (text.match(/\r\n/g)?.length ?? 0) * 2 > (text.match(/\n/g)?.length ?? 0);
  return { exact: bytes, text: unix(text), ending: windows ? "\r\n" : "\n" };
}

/** After typing; the same text again changes nothing. */
export function typed(draft: Draft, text: string): Draft {
  return unix(text) === draft.text ? draft : { ...draft, exact: null, text: unix(text) };
}

/** What is to be kept; null when half a character is in it, which no file can hold. */
export function bytesOf(draft: Draft): Uint8Array | null {
  if (draft.exact !== null) return draft.exact;
  if (/\p{Surrogate}/u.test(draft.text)) return null;
  return new TextEncoder().encode(draft.ending === "\n" ? draft.text : draft.text.replaceAll("\n", "\r\n"));
}

export function base64(bytes: Uint8Array): string {
  let binary = "";
  for (let at = 0; at < bytes.length; at += 32_768) binary += String.fromCharCode(...bytes.subarray(at, at + 32_768));
  return btoa(binary);
}

/** What was typed and not saved, by the address of its form: looking elsewhere loses nothing. */
export const left = new Map<string, { type: ArtifactType; key: string; draft: Draft; whole: File | null }>();
unsaved.watch(() => left.size > 0);
