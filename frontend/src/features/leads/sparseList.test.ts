import { expect, it } from "vitest";
import { nearestCursor, pagesOf, pagesToKeep } from "./sparseList";

it("asks for the pages that are seen, and for none beyond the list", () => {
  expect(pagesOf(0, 20, 1_000)).toEqual([0]);
  expect(pagesOf(95, 130, 1_000)).toEqual([0, 100]);
  expect(pagesOf(980, 1_040, 1_000)).toEqual([900]);
  expect(pagesOf(-5, 10, 3)).toEqual([0]);
  expect(pagesOf(0, 10, 0)).toEqual([]);
});

it("reads on from the nearest row that it knows, and never from one behind the page", () => {
  const cursors = new Map([[100, "a"], [5_000, "b"]]);
  expect(nearestCursor(cursors, 0)).toEqual({ after: null, skip: 0 });
  expect(nearestCursor(cursors, 99)).toEqual({ after: null, skip: 99 });
  expect(nearestCursor(cursors, 100)).toEqual({ after: "a", skip: 0 });
  expect(nearestCursor(cursors, 4_900)).toEqual({ after: "a", skip: 4_800 });
  expect(nearestCursor(cursors, 99_900)).toEqual({ after: "b", skip: 94_900 });
});

it("forgets what is farthest from what is seen", () => {
  expect(pagesToKeep([0, 100, 5_000, 5_100], 5_000, 2)).toEqual([5_000, 5_100]);
});
