import { expect, it } from "vitest";
import { strength, wrongPassphrase } from "./passphrase";

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

it("takes a new passphrase that is hard enough and typed the same twice", () => {
  expect(wrongPassphrase("short", "short")).toEqual({ first: expect.stringContaining("5 more") });
  expect(wrongPassphrase("correct horse", "correct house")).toEqual({ second: "The two do not match." });
  expect(wrongPassphrase("correct horse", "correct horse")).toEqual({});
});
