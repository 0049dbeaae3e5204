import { expect, it } from "vitest";
import { freshness } from "./threadAge";

const minute = 60_000;

it.each([
  [null, true, { text: "never checked", stale: true }],
  [null, false, { text: "never checked", stale: false }],
  [1_000 * minute, true, { text: "checked just now", stale: false }],
  [990 * minute, true, { text: "checked 10 min ago", stale: false }],
  [989 * minute, true, { text: "checked 11 min ago", stale: true }],
  [0, false, { text: "checked 16 h ago", stale: false }],
  [2_000 * minute, true, { text: "checked just now", stale: false }],
])("of a thread read at %s, going on %s", (readAt, going, expected) => {
  expect(freshness(readAt, 1_000 * minute, 10 * minute, going)).toEqual(expected);
});
