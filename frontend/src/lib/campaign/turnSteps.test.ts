import { describe, expect, it } from "vitest";
import { formatStep, STEPS, turnView } from "./turnSteps";

const marks = (closed: number, moving = true) => turnView(closed, moving, "Idle", []).steps.map((step) => step.mark[0]).join("");

describe("turnView", () => {
  it("knows the eight steps", () => expect(STEPS).toHaveLength(8));

  it.each([
    [0, "wwwwwwww"],
    [1, "dawwwwww"],
    [4, "ddddawww"],
    [7, "ddddddda"],
    [8, "dddddddd"],
  ])("marks the steps when %d are behind", (closed, shown) => expect(marks(closed)).toBe(shown));

  it("shows no step while nothing moves", () => expect(marks(4, false)).toBe("wwwwwwww"));

  it.each([
    [1, "LoadingContext"],
    [2, "Inferring"],
    [3, "Inferring"],
    [4, "ExecutingActions"],
    [6, "Persisting"],
    [8, "Idle"],
  ] as const)("names the turn's state when %d steps are behind", (closed, state) => {
    expect(turnView(closed, true, "Idle", []).state).toBe(state);
  });

  it("is idle between two turns, whatever was recorded during the last", () => {
    expect(turnView(8, true, "ExecutingActions", []).state).toBe("Idle");
  });

  it("shows the recorded state while nothing moves", () => {
    expect(turnView(4, false, "Faulted", []).state).toBe("Faulted");
  });

  it("shows the last turn's durations in milliseconds", () => {
    expect(turnView(0, false, "Idle", [1_500]).steps.map((step) => step.took)).toEqual([1.5, ...Array(7).fill(null)]);
  });
});

it.each([
  [null, "–"],
  [0.07, "< 1 ms"],
  [1.4, "1 ms"],
  [1_830, "1.8 s"],
])("shows a step of %s ms as %s", (took, shown) => expect(formatStep(took)).toBe(shown));
