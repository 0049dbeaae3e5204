import { expect, it } from "vitest";
import type { RunLine, ScriptRunView } from "../../lib/api/generated";
import { hasFailed, KEY, keyOf, outcome, runTitle, toldOf } from "./names";

it.each([
  ["Reply rates.py", "reply-rates"],
  ["  --x", "x"],
  ["ä", ""],
  ["a".repeat(80), "a".repeat(64)],
])("a name %j becomes the key %j", (typed, key) => {
  expect(keyOf(typed)).toBe(key);
  expect(KEY.test(keyOf(typed))).toBe(key !== "");
});

it("tells how a run stands", () => {
  const run = { phase: "ended", error: null, same: null, status: "ok", code: "", verifies: "" } as ScriptRunView;
  expect(runTitle(run)).toBe("Done");
  expect(runTitle({ ...run, phase: "first" })).toBe("Running");
  expect(runTitle({ ...run, same: false })).toBe("A different answer");
  expect(runTitle({ ...run, status: "killed", code: "script_cancelled" })).toBe("Cancelled");
  expect(outcome("denied", "script_denied")).toBe("Refused");
  expect(["ok", "failed", "killed"].map((status) => hasFailed({ status, code: status === "killed" ? "script_cancelled" : "" }))).toEqual([false, true, false]);
  expect(toldOf({ status: "killed", code: "script_cancelled", message: "It was cancelled." } as RunLine)).toBe("");
});
