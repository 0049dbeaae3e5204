import { expect, it } from "vitest";

const SOURCES = Object.entries(import.meta.glob<string>("./**/*.svelte", { query: "?raw", import: "default", eager: true }));

/** An element that is cut where it is too long, and in which a `bdi` is all there is. */
const CUT_AT_THE_WRONG_END = /class="[^"]*\btruncate\b[^"]*"[^<]*>\s*<bdi[^>]*>(?:(?!<).)*<\/bdi>\s*<\/(?:p|span|a|h\d|t[dh]|d[dt])>/;

// The ellipsis stands where the element's own direction ends: within a left-to-right one it hides how an Arabic name begins.
it("cuts a name at its end, whichever way its script runs", () => {
  expect(SOURCES.length).toBeGreaterThan(100);
  expect(SOURCES.filter(([, text]) => CUT_AT_THE_WRONG_END.test(text)).map(([path]) => path)).toEqual([]);
  expect(CUT_AT_THE_WRONG_END.test('<p class="truncate text-sm"><bdi>{name}</bdi></p>')).toBe(true);
  expect(CUT_AT_THE_WRONG_END.test('<p class="truncate text-sm" dir="auto">{name}</p>')).toBe(false);
});
