import { expect, it } from "vitest";
import { needsOwnApproval, whyNotByKey } from "./approval";
import { doubt } from "../../lib/format/placeholders";

const note = { elsewhere: "", anyway: "", doubt: "", here: false, before: false, held: false };
const placeholders: string[] = [];

it("says why a key does not approve a draft", () => {
  expect(whyNotByKey({ note, text: "Hello", placeholders })).toBe("");
  expect(whyNotByKey({ note: { ...note, held: true }, text: "Hello", placeholders })).toContain("whether this campaign may contact them");
  expect(whyNotByKey({ note: { ...note, held: true, doubt: "They share a mailbox." }, text: "Hello", placeholders })).toContain("the same person");
  expect(whyNotByKey({ note, text: "Hel\u200blo", placeholders })).toContain("hidden characters");
  expect(whyNotByKey({ note, text: "Hello [Team]", placeholders: ["[Team]"] })).toContain("may contain a placeholder");
});

it("tells what may be a placeholder, which is approved only by itself", () => {
  expect(doubt([])).toBe("");
  expect(doubt(["[Team]", "$\u200btopic"])).toBe("This may be a placeholder: [Team], $[U+200B]topic");
  expect(needsOwnApproval({ text: "Hello", placeholders })).toBe(false);
  expect(needsOwnApproval({ text: "Hel\u200blo", placeholders })).toBe(true);
  expect(needsOwnApproval({ text: "Hello [Team]", placeholders: ["[Team]"] })).toBe(true);
});
