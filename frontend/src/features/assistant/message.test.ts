import { describe, expect, test } from "vitest";
import { commandOf, content, freeName, isDocument, putInto, recalled, tryWith } from "./message";
import type { Attachment } from "./message";

const attachment = (id: number, more: Partial<Attachment> = {}): Attachment => ({ id, name: "pasted text", size: 3, text: "abc", ticket: "", file: null, gone: false, ...more });

describe("what is pasted", () => {
  test.each([
    ["a word", false],
    ["a line with its end\r\n", false],
    ["two\nlines", true],
    ["two\r\nlines", true],
    ["x".repeat(600), false],
    ["x".repeat(601), true],
    ["x".repeat(1_000_001), false],
  ])("is a document when it is long or has several lines: %#", (pasted, is) => {
    expect(isDocument(pasted)).toBe(is);
  });

  test("gets a name of its own", () => {
    expect(freeName("pasted text", [])).toBe("pasted text");
    expect(freeName("pasted text", ["pasted text", "pasted text 2"])).toBe("pasted text 3");
  });

  test("put into the message stands on lines of its own", () => {
    expect(putInto("", 0, 0, "a\nb")).toBe("a\nb");
    expect(putInto("save this:", 10, 10, "a\nb")).toBe("save this:\na\nb");
    expect(putInto("save this: please", 10, 11, "a")).toBe("save this:\na\nplease");
  });
});

test("exactly what was pasted is sent, line ends and all; a file goes by its ticket", () => {
  const attached = [attachment(1, { text: "\ufeffa\r\nb\r" }), attachment(2, { name: "job.txt", text: null, ticket: "t" })];
  expect(content("  save it \n", attached)).toEqual({
    text: "save it",
    attached: [{ name: "pasted text", text: "\ufeffa\r\nb\r", ticket: null }, { name: "job.txt", text: null, ticket: "t" }],
  });
});

describe("a message that is sent again", () => {
  let n = 0;
  const fresh = () => `key ${++n}`;

  test("is the same request while nothing of it changed", () => {
    const first = tryWith(null, "pause", [attachment(1)], fresh);
    expect(tryWith(first, "pause", [attachment(1, { ticket: "another launch" })], fresh).key).toBe(first.key);
    expect(tryWith(first, "pause now", [attachment(1)], fresh).key).not.toBe(first.key);
    expect(tryWith(first, "pause", [attachment(2)], fresh).key).not.toBe(first.key);
    expect(tryWith(null, "pause", [attachment(1)], fresh).key).not.toBe(first.key);
  });
});

test("what was said before is walked through and left again", () => {
  const messages = ["latest", "first"];
  expect(recalled(messages, -1, 1)).toEqual({ at: 0, text: "latest" });
  expect(recalled(messages, 0, 1)).toEqual({ at: 1, text: "first" });
  expect(recalled(messages, 1, 1)).toBeNull();
  expect(recalled(messages, 0, -1)).toEqual({ at: -1, text: "" });
  expect(recalled(messages, -1, -1)).toBeNull();
});

describe("what a whole message is understood as", () => {
  test.each([
    ["continue", "go"],
    [" GO ON… ", "go"],
    ["…pause?", "stop"],
    ["continue the campaign", null],
    ["don't stop", null],
    ["constructor", null],
    ["", null],
  ])("%s", (text, command) => {
    expect(commandOf(text, 0)).toBe(command);
  });

  test("with something attached it is no command", () => {
    expect(commandOf("continue", 1)).toBe(null);
  });
});
