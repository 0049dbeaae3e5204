import { expect, it } from "vitest";
import { countCharacters, shortened } from "./characters";

it.each([
  ["", 0],
  ["naïve", 5],
  ["a\nb", 3],
  ["🙂🙂", 4],
])("counts %j as the server does: %d", (text, count) => expect(countCharacters(text)).toBe(count));

it.each([
  ["Short.", 20, "Short."],
  ["One sentence here. And another one", 25, "One sentence here."],
  ["A. several words without an end", 20, "A. several words"],
  ["x".repeat(30), 10, "x".repeat(10)],
  ["a🚀", 2, "a"],
])("shortens %j to %d characters", (text, limit, expected) => expect(shortened(text, limit)).toBe(expected));
