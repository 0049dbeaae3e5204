import { describe, expect, it } from "vitest";
import { commandOf, countCharacters, keepSelection, moveSelection } from "./review";

describe("countCharacters", () => {
  it.each([
    ["", 0],
    ["naïve", 5],
    ["a\nb", 3],
    ["🙂🙂", 2],
  ])("counts %j as %d", (text, count) => expect(countCharacters(text)).toBe(count));
});

describe("moveSelection", () => {
  it.each([
    [null, 1, "a"],
    ["a", 1, "b"],
    ["c", 1, "c"],
    ["a", -1, "a"],
    ["gone", 1, "a"],
  ])("from %s by %d to %s", (from, by, to) => expect(moveSelection(["a", "b", "c"], from, by)).toBe(to));

  it("selects nothing in an empty list", () => expect(moveSelection([], "a", 1)).toBeNull());
});

describe("keepSelection", () => {
  it.each([
    [["a", "b"], ["a", "b"], "b", "b"],
    [["a", "b", "c"], ["a", "c"], "b", "c"],
    [["a", "b"], ["a"], "b", "a"],
    [[], ["a", "b"], null, "a"],
    [["a"], [], "a", null],
  ])("from %j to %j with %s selected: %s", (before, after, selected, kept) => {
    expect(keepSelection(before, after, selected)).toBe(kept);
  });
});

describe("commandOf", () => {
  const press = { key: "a", ctrlKey: false, metaKey: false, altKey: false, repeat: false };
  it("knows the keys", () => {
    expect(["j", "k", "a", "e", "r", "x"].map((key) => commandOf({ ...press, key }, false))).toEqual([
      "next",
      "previous",
      "approve",
      "edit",
      "reject",
      null,
    ]);
  });
  it("hears nothing while typing", () => expect(commandOf(press, true)).toBeNull());
  it("leaves the browser its shortcuts", () => expect(commandOf({ ...press, ctrlKey: true }, false)).toBeNull());
  it("approves once for a key held down", () => expect(commandOf({ ...press, repeat: true }, false)).toBeNull());
  it("goes on moving for a key held down", () => {
    expect(commandOf({ ...press, key: "j", repeat: true }, false)).toBe("next");
  });
});
