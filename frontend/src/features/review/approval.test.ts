import { expect, it } from "vitest";
import { whyNotByKey } from "./approval";

const note = { elsewhere: "", anyway: "", doubt: "", here: false, before: false, held: false };

it("says why a key does not approve a draft", () => {
  expect(whyNotByKey({ note, text: "Hello" })).toBe("");
  expect(whyNotByKey({ note: { ...note, held: true }, text: "Hello" })).toContain("whether this campaign may contact them");
  expect(whyNotByKey({ note: { ...note, held: true, doubt: "They share a mailbox." }, text: "Hello" })).toContain("the same person");
  expect(whyNotByKey({ note, text: "Hel\u200blo" })).toContain("hidden characters");
});
