import { describe, expect, it } from "vitest";
import { hiddenCodePoints, hides, pieces, reveal } from "./hiddenCharacters";

const shown = (text: string) => pieces(text).map((piece) => ("text" in piece ? piece.text : `[${piece.mark}×${piece.count}]`)).join("");

describe("pieces", () => {
  it.each([
    ["", ""],
    ["Hi Ada,\n\tshall we talk?", "Hi Ada,\n\tshall we talk?"],
    ["<script>alert(1)</script>", "<script>alert(1)</script>"],
    ["naïve — “quoted” … 🙂", "naïve — “quoted” … 🙂"],
    ["pay \u202Egnp.exe", "pay [U+202E×1]gnp.exe"],
    ["a\u200b\u200b\u200bb", "a[U+200B×3]b"],
    ["a\u200b\u200cb", "a[U+200B×1][U+200C×1]b"],
    ["one\r\ntwo", "one[U+000D×1]\ntwo"],
    ["bell\u0007", "bell[U+0007×1]"],
    ["\ufefftext", "[U+FEFF×1]text"],
    ["soft\u00adhyphen", "soft[U+00AD×1]hyphen"],
    ["half \ud83d pair", "half [U+D83D×1] pair"],
    ["\u{e0041}\u{e0042}", "[U+E0041×1][U+E0042×1]"],
    ["\u3164", "[U+3164×1]"],
    ["line\u2028separator", "line[U+2028×1]separator"],
  ])("shows %j as %j", (text, expected) => expect(shown(text)).toBe(expected));

  it.each([["👩‍💻"], ["❤️"], ["👍🏽"], ["👨🏽‍🚒"], ["می‌خواهم"], ["क्‍ष"]])("leaves %s as people write it", (text) => {
    expect(pieces(text)).toEqual([{ text }]);
  });

  it("marks a joiner between Latin letters", () => expect(shown("a\u200db")).toBe("a[U+200D×1]b"));

  it("names what it marks", () => expect(pieces("\u202e")).toEqual([{ mark: "U+202E", title: "right-to-left override", count: 1 }]));

  it("stays small whatever the text", () => {
    const shown = pieces("a\u200b".repeat(100_000));
    expect(shown.length).toBeLessThan(1_100);
    expect(shown.at(-1)).toMatchObject({ mark: "…" });
  });

  it("takes a text of 10 MB in its stride", () => {
    const text = "x".repeat(10_000_000);
    expect(pieces(text)).toEqual([{ text }]);
  });
});

it("tells whether anything is hidden", () => {
  expect(hides("plain")).toBe(false);
  expect(hides("pl\u200bain")).toBe(true);
});

it("misses nothing that this engine's Unicode says to ignore, or that controls, formats or separates", () => {
  const hiding = /[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Z}]/u;
  const every = Array.from({ length: 0x110000 }, (_, point) => String.fromCodePoint(point));
  const ignored = every.filter((character) => hiding.test(character) && !"\t\n ".includes(character));
  const codePoints = hiddenCodePoints(`a${ignored.join("a")}a`);
  expect(codePoints).toEqual(ignored.map((character) => `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`));
}, 60_000); // every character there is: the time depends on the machine

it("spells a name as the terminal and the prompt do", () => {
  expect(reveal("Ada\u00a0Love\u200b\u200blace 👩‍💻")).toBe("Ada[U+00A0]Love[U+200B x2]lace 👩‍💻");
  expect(reveal("Ada")).toBe("Ada");
});

it("names each hidden character of a text once", () => {
  expect(hiddenCodePoints("a\u200b\u00adb\u200b\u{e0041}")).toEqual(["U+200B", "U+00AD", "U+E0041"]);
  expect(hiddenCodePoints("👩‍💻 می‌خواهم")).toEqual([]);
});
