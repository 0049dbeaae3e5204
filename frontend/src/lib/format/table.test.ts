import { expect, it } from "vitest";
import { csv } from "./table";

it("writes CSV that no spreadsheet takes for a formula", () => {
  expect(csv({ head: ["a", "b,c"], rows: [['say "x"', 1], ["=1+1", -2], [" \uff1d1", 0], ["two\nlines", 0]] })).toBe(
    'a,"b,c"\r\n"say ""x""",1\r\n\'=1+1,-2\r\n \'\uff1d1,0\r\n"two\nlines",0\r\n',
  );
});
