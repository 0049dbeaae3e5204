import { describe, expect, it } from "vitest";
import { markedThrough, moved, selected, toggled } from "./selection";

const ids = ["a", "b", "c"];

describe("what is selected", () => {
  it.each([
    [null, { id: "a", index: 0 }],
    [{ id: "b", index: 1 }, { id: "b", index: 1 }],
    [{ id: "c", index: 0 }, { id: "c", index: 2 }],
    [{ id: "gone", index: 1 }, { id: "b", index: 1 }],
    [{ id: "gone", index: 9 }, { id: "c", index: 2 }],
  ])("from %j is %j", (position, expected) => expect(selected(ids, position)).toEqual(expected));

  it("is nothing in an empty list", () => expect(selected([], { id: "a", index: 0 })).toBeNull());
});

describe("moving", () => {
  it.each([
    ["a", 1, "b"],
    ["c", 1, "c"],
    ["a", -1, "a"],
    ["c", -1, "b"],
  ])("from %s by %d leads to %s", (from, by, to) => expect(moved(ids, { id: from, index: ids.indexOf(from) }, by)?.id).toBe(to));

  it("goes on from where what is gone stood", () => expect(moved(ids, { id: "gone", index: 1 }, 1)?.id).toBe("c"));
});

it("marks one after the other, and a stretch", () => {
  expect([...toggled(new Set(["a"]), "b")]).toEqual(["a", "b"]);
  expect([...toggled(new Set(["a", "b"]), "a")]).toEqual(["b"]);
  expect([...markedThrough(ids, new Set(), 2, 1)].sort()).toEqual(["b", "c"]);
  expect([...markedThrough(ids, new Set(["a"]), 1, 1)].sort()).toEqual(["a", "b"]);
});
