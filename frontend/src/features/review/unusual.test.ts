import { expect, test } from "vitest";
import { unusualFirst, whyUnusual } from "./unusual";

const part = (text: string, variable = "", fallback = false) => ({ text, variable, fallback });
const usual = { step: "hello", text: "Hi Ada", placeholders: [], parts: [part("Hi "), part("Ada", "first_name")] };
const unknown = { step: "hello", text: "Hi there", placeholders: [], parts: [part("Hi "), part("there", "first_name", true)] };
const worded = { step: "hello", text: "Dear Ada", placeholders: [], parts: [] };

test("a text is unusual when it hides something, may have a placeholder, lacks a value, or is worded unlike the others of its step", () => {
  expect(whyUnusual(usual, [usual, worded])).toBeNull();
  expect(whyUnusual({ ...usual, text: "Hi\u200B Ada" }, [usual])).toBe("Hidden characters");
  expect(whyUnusual({ ...usual, placeholders: ["[Team]"] }, [usual])).toBe("Maybe a placeholder");
  expect(whyUnusual(unknown, [usual])).toBe("No first name known");
  expect(whyUnusual(worded, [usual, worded])).toBe("Different wording");
});

test("where no text of a step follows a template, none is unusual for that", () => {
  expect(whyUnusual(worded, [worded, worded, { ...usual, step: "invite" }])).toBeNull();
});

test("the unusual ones stand first, each group in its order", () => {
  const second = { ...usual, text: "Hi Bob" };
  expect(unusualFirst([usual, worded, second, unknown])).toEqual([worded, unknown, usual, second]);
});
