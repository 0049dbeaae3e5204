import { expect, it } from "vitest";
import { hasTyped, actionForBuild } from "./build";

it("reloads a stale page only when nothing typed would be lost", () => {
  expect(actionForBuild("a", "a", false)).toBe("go on");
  expect(actionForBuild("a", "b", false)).toBe("reload");
  expect(actionForBuild("a", "b", true)).toBe("offer");
  expect(actionForBuild("", "b", false)).toBe("go on");
  expect(actionForBuild("a", "", false)).toBe("go on");
});

it("knows what a person has typed", () => {
  const field = (value: string, type = "text", readOnly = false) => ({ value, type, readOnly });
  expect(hasTyped([])).toBe(false);
  expect(hasTyped([field(""), field("  "), field("on", "checkbox"), field("shown", "text", true)])).toBe(false);
  expect(hasTyped([field(""), field("half a sentence", "textarea")])).toBe(true);
});
