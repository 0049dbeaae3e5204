import { expect, test } from "vitest";
import { spans } from "./spans";

test("a command between backticks is code, and a backtick alone is itself", () => {
  expect(spans("Run `outrider doctor`, or wait.")).toEqual([
    { text: "Run ", code: false },
    { text: "outrider doctor", code: true },
    { text: ", or wait.", code: false },
  ]);
  expect(spans("It's 5` long.")).toEqual([{ text: "It's 5` long.", code: false }]);
});
