import { describe, expect, it } from "vitest";
import { compare, counted } from "./compare";

const brief = (before: string, after: string) =>
  compare(before, after)?.map((line) =>
    line.kind === "fold" ? `…${line.hidden}` : `${{ same: " ", added: "+", removed: "-" }[line.kind]}${line.text}${line.note ? ` (${line.note})` : ""}`,
  );

describe("a comparison", () => {
  it("says line by line what was removed and added", () => expect(brief("a\nb\nc\n", "a\nx\nc\n")).toEqual([" a", "-b", "+x", " c"]));
  it("numbers the lines of both sides", () => {
    const lines = compare("a\nb\n", "a\nx\ny\n") ?? [];
    expect(lines.map((line) => (line.kind === "fold" ? [] : [line.before, line.after]))).toEqual([[1, 1], [2, null], [null, 2], [null, 3]]);
  });
  it("folds what is the same and far away", () => {
    const lines = Array.from({ length: 20 }, (_, at) => `${at}\n`);
    const after = lines.with(10, "x\n");
    expect(brief(lines.join(""), after.join(""))).toEqual(["…7", " 7", " 8", " 9", "-10", "+x", " 11", " 12", " 13", "…6"]);
  });
  it("shows a difference that cannot be seen", () => {
    expect(brief("a\r\n", "a\n")).toEqual(["-a (CR)", "+a"]);
    expect(brief("a\n", "a")).toEqual(["-a", "+a (no line end)"]);
    expect(brief("\ufeffa\n", "a\n")?.[0]).toContain("(byte order mark)");
  });
  it("of the same text is one fold", () => expect(brief("a\nb\n", "a\nb\n")).toEqual(["…2"]));
  it("begins with nothing and ends with nothing", () => {
    expect(brief("", "a\n")).toEqual(["+a"]);
    expect(brief("a\n", "")).toEqual(["-a"]);
  });
  it("counts", () => expect(counted(compare("a\nb\n", "x\n") ?? [])).toEqual({ added: 1, removed: 2 }));
});

it("gives up on what would take too long", () => {
  const noise = (seed: number) => Array.from({ length: 60_000 }, (_, at) => `${(at * seed) % 99_991}`).join("\n");
  expect(compare(noise(7), noise(13))).toBeNull();
});
