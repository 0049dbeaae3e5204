import { expect, it } from "vitest";
import { countCharacters } from "./characters";

it.each([
  ["", 0],
  ["naïve", 5],
  ["a\nb", 3],
  ["🙂🙂", 4],
])("counts %j as the server does: %d", (text, count) => expect(countCharacters(text)).toBe(count));
