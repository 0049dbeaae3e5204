import { expect, it } from "vitest";
import { strength } from "./passphrase";

it.each([
  ["", false, "At least 10"],
  ["short", false, "5 more"],
  ["ninechars", false, "1 more character,"],
  ["aAaAaAaAaAaA", false, "repeats"],
  ["8231 9934 1207", true, "Digits alone"],
  ["correct horse", true, "Another word"],
  ["lantern gravel otter nine", true, "unless it is a quotation"],
])("judges %j: enough %s, %s", (text, enough, words) => {
  expect(strength(text)).toMatchObject({ enough, words: expect.stringContaining(words) });
});

it("counts characters as people do", () => expect(strength("🙂🙃😉😊😇🤖👻🎃🐙🦑").enough).toBe(true));
