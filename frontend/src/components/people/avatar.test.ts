import { expect, it } from "vitest";
import { colourOf, initials } from "./avatar";

it.each([
  ["Clara Weiss", "CW"],
  ["José García Núñez", "JN"],
  ["Ada", "A"],
  ["  李 小龍 ", "李小"],
  ["Anne-Marie Roux", "AR"],
  ["🚀 42", "?"],
  ["", "?"],
])("the initials of %j are %j", (name, expected) => expect(initials(name)).toBe(expected));

it("gives the same name the same colour, and not everybody one", () => {
  expect(colourOf("Clara Weiss")).toBe(colourOf("Clara Weiss"));
  expect(new Set(["Ada", "Ben", "Cara", "Dan", "Eve", "Fay", "Gus"].map(colourOf)).size).toBeGreaterThan(2);
});
