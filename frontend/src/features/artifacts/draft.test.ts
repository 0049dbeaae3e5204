import { expect, it } from "vitest";
import { base64, bytesOf, EMPTY, given, KEY, typed } from "./draft";

const utf8 = (text: string) => new TextEncoder().encode(text);
const back = (bytes: Uint8Array | null) => (bytes === null ? null : new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes));

it.each(["\ufeffa\r\nb\nc\r", "nul\0", "🙂", "a\n"])("keeps %o byte for byte until it is changed", (text) => {
  const draft = given(utf8(text));
  if (draft === null) throw new Error("it is text");
  expect(back(bytesOf(draft))).toBe(text);
  // A text field gives its own text back with LF: that is no change.
  expect(back(bytesOf(typed(draft, draft.text)))).toBe(text);
});

it("gives a changed text the line ends that it had", () => {
  const windows = given(utf8("a\r\nb\r\n"));
  const unix = given(utf8("a\nb\n"));
  if (windows === null || unix === null) throw new Error("both are text");
  expect(back(bytesOf(typed(windows, "a\nc\n")))).toBe("a\r\nc\r\n");
  expect(back(bytesOf(typed(unix, "a\nc\n")))).toBe("a\nc\n");
});

it("takes no half characters and nothing that is not UTF-8", () => {
  expect(bytesOf(typed(EMPTY, "a\ud83d"))).toBeNull();
  expect(given(Uint8Array.of(0xff))).toBeNull();
});

it("spells bytes in base64, however many", () => {
  const bytes = Uint8Array.from({ length: 100_000 }, (_, at) => at % 256);
  expect(Uint8Array.from(atob(base64(bytes)), (character) => character.charCodeAt(0))).toEqual(bytes);
});

it("knows a key", () => {
  expect(["a", "context.md", "0_-."].every((key) => KEY.test(key))).toBe(true);
  expect(["", "A", ".a", "a b", "a".repeat(65)].some((key) => KEY.test(key))).toBe(false);
});
