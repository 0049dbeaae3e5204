import { describe, expect, it } from "vitest";
import { pythonLines } from "./python";

const kinds = (source: string) => pythonLines(source).map((line) => line.map((part) => `${part.kind}:${part.text}`));

describe("pythonLines", () => {
  it("tells keywords, texts, comments and numbers apart", () => {
    expect(kinds('for x in (1.5, "a # b"):  # note')).toEqual([
      ["keyword:for", "plain: ", "plain:x", "plain: ", "keyword:in", "plain: (", "number:1.5", "plain:, ", 'text:"a # b"', "plain:):  ", "comment:# note"],
    ]);
  });

  it("carries a text of three quotes over its lines", () => {
    expect(kinds("q = f'''one\n# two\n''' # end")).toEqual([
      ["plain:q", "plain: = ", "text:f'''one"],
      ["text:# two"],
      ["text:'''", "plain: ", "comment:# end"],
    ]);
  });

  it.each(["", "\n", "'open\nx = 1", '"""never closed\n', "a\\'b", "é = 'ü'\n\t…", "'\\\n'"])("loses nothing of %j", (source) => {
    const joined = pythonLines(source).map((line) => line.map((part) => part.text).join("")).join("\n");
    expect(joined).toBe(source);
  });
});
