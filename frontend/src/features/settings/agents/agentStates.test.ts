import { expect, test } from "vitest";
import { callWords, inputWords, runWord, stateMarks, stateWords } from "./agentStates";

const DECLARED = ["Init", "RequestFileSearch", "ProcessFileResults", "RequestSummary", "Completed", "Failed"];
const run = { id: 1, agent: "a", inputs: "", state: "Init", states: ["Init"], calls: [], found: "", code: "", reason: "", started_at: 0, ended_at: null as number | null, kept_in: null };
const marks = (states: string[], ended: number | null) =>
  stateMarks({ ...run, states, state: states.at(-1)!, ended_at: ended }, DECLARED).map((state) => `${state.name} ${state.mark}`);

test("what a run went through and what may come", () => {
  expect(marks(["Init", "RequestFileSearch"], null)).toEqual(["Init visited", "RequestFileSearch current", "ProcessFileResults ahead", "RequestSummary ahead", "Completed ahead"]);
  expect(marks(["Init", "RequestFileSearch", "ProcessFileResults", "Completed"], 5)).toEqual(["Init visited", "RequestFileSearch visited", "ProcessFileResults visited", "Completed visited"]);
  expect(marks(["Init", "Failed"], 5)).toEqual(["Init visited", "Failed failed"]);
  const cancelled = { ...run, states: ["Init", "Failed"], state: "Failed", code: "agent_cancelled", ended_at: 5 };
  expect(stateMarks(cancelled, DECLARED)).toEqual([{ name: "Init", mark: "visited" }, { name: "Cancelled", mark: "cancelled" }]);
  expect(["agent_cancelled", "30 files"].map((outcome) => callWords(cancelled, outcome))).toEqual(["cancelled", "30 files"]);
});

test("words for states and ends", () => {
  expect(stateWords("RequestFileSearch")).toBe("Request file search");
  expect(runWord(run)).toBe("running");
  expect(runWord({ ...run, ended_at: 1, state: "Failed", code: "agent_cancelled" })).toBe("cancelled");
  expect(runWord({ ...run, ended_at: 1, state: "Completed" })).toBe("completed");
});

test("what a run was given is called as its fields are", () => {
  expect(["directory: /tmp, days: 30", "days: 7", "directory: /a, days: b, days: 30", ""].map(inputWords)).toEqual([
    "Folder: /tmp, days back: 30",
    "days back: 7",
    "Folder: /a, days: b, days back: 30",
    "",
  ]);
});
