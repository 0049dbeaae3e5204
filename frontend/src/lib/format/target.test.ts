import { expect, it } from "vitest";
import { targetSentence } from "./target";

it("says what is wanted and what there is so far, of one and of none too", () => {
  expect(targetSentence({ wanted: 30, so_far: 11 })).toBe("30 conversations this month: 11 so far");
  expect(targetSentence({ wanted: 1, so_far: 0 })).toBe("1 conversation this month: 0 so far");
});
