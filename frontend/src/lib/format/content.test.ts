import { describe, expect, it } from "vitest";
import { asText, hexDump, hexOf, laidOut, namedDigest, sha256, sized, unseen } from "./content";

const utf8 = (text: string) => new TextEncoder().encode(text);

describe("a digest", () => {
  it("is computed of the bytes and equals the one that is named for them", async () => {
    const computed = await sha256(utf8("abc"));
    expect(computed).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    expect(namedDigest("sha-256=:ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=:")).toBe(computed);
  });
  it.each(["", "sha-256=", "sha-512=:ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=:", "sha-256=:short=:"])("is not taken from %o", (header) => {
    expect(namedDigest(header)).toBeNull();
  });
});

describe("text", () => {
  it("keeps its byte order mark", () => expect(asText(utf8("\ufeffa"))).toBe("\ufeffa"));
  it("is refused when it is not UTF-8", () => expect(asText(Uint8Array.of(0x63, 0xe9))).toBeNull());
  it.each([
    ["plain\n", []],
    ["a\r\nb\r\n", ["CRLF line ends"]],
    ["a\rb", ["CR line ends"]],
    ["a\r\nb\nc\r", ["mixed line ends: CRLF, LF, CR"]],
    ["\ufeffa\0b", ["byte order mark", "NUL"]],
    ["a\u202eb", ["hidden characters"]],
  ])("says what in %o cannot be seen", (text, expected) => expect(unseen(text)).toEqual(expected));
});

it("shows bytes by place, code and letter", () => {
  expect(hexDump(Uint8Array.from([0xef, 0xbb, 0xbf, 0x41, ...Array<number>(13).fill(0)]), 9)).toBe(
    `00000000  ef bb bf 41 ${"00 ".repeat(12).trim()}  ···A${"·".repeat(12)}\n00000010  00${" ".repeat(45)}  ·`,
  );
  expect(hexDump(new Uint8Array(100), 2).split("\n")).toHaveLength(2);
  expect(hexOf(Uint8Array.of(0, 15, 255))).toBe("000fff");
});

it("lays out objects and arrays only", () => {
  expect(laidOut('{"a":[1]}')).toBe('{\n  "a": [\n    1\n  ]\n}');
  for (const text of ["12", '"a"', "{", "", "plain [1]"]) expect(laidOut(text)).toBeNull();
});

it("names sizes", () => expect([1, 999, 1_500, 1_000_000].map(sized)).toEqual(["1 byte", "999 bytes", "1.5 kB", "1.0 MB"]));
