import { expect, it } from "vitest";
import { fileName, isProposed, kindOf, madeBy, span } from "./artifactTypes";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOON = Date.UTC(2026, 10, 22);

it("takes whole days of the campaign's own clock, the last one included", () => {
  expect(span("2026-11-22", "2026-11-22", [])).toEqual({ since: NOON, until: NOON + DAY });
  expect(span("2026-11-22", "", [{ since: 0, ms: 2 * HOUR }])).toEqual({ since: NOON - 2 * HOUR, until: null });
  expect(span("", "2026-11-22", [{ since: 0, ms: -HOUR }])).toEqual({ since: null, until: NOON + DAY + HOUR });
  expect(span("", "20", [])).toEqual({ since: null, until: null });
  expect(span("1970-01-01", "", [{ since: 0, ms: HOUR }]).since).toBe(0);
});

it("names kinds of data", () => {
  expect(["text/plain", "image/png", "application/pdf", "application/octet-stream"].map(kindOf)).toEqual([
    "Text", "PNG image", "PDF document", "Binary data",
  ]);
});

it("names a file after its key and version", () => {
  expect(fileName("note", "plan.md", 2)).toBe("plan-v2.md");
  expect(fileName("context", "plan", 1)).toBe("plan-v1.md");
});

it.each([
  [{ kind: "user" as const, name: "" }, "by you", false],
  [{ kind: "model" as const, name: "" }, "by the model", true],
  [{ kind: "program" as const, name: "" }, "by a connected program", true],
  [{ kind: "program" as const, name: "My Claude" }, "by the program “My Claude”", true],
  [{ kind: "script" as const, name: "0123456789abcdef" }, "by the script 0123456789ab", false],
  [{ kind: "controller" as const, name: "" }, "by Outrider", false],
])("says who made a version, and whether the user's yes was needed: %o", (maker, words, proposed) => {
  expect([madeBy(maker), isProposed(maker)]).toEqual([words, proposed]);
});
