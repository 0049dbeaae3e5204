import { expect, it } from "vitest";
import type { FamilyGates } from "../../lib/api/generated";
import { summariseGates } from "./gates";

const open = (code: string) => ({ code, passes: true, sentence: "", until: null });
const shut = (code: string) => ({ code, passes: false, sentence: `${code} says no`, until: null });
const family = (name: FamilyGates["family"], ...gates: FamilyGates["gates"]): FamilyGates => ({ family: name, waiting: 1, gates });

it("says once what holds every family back", () => {
  const summary = summariseGates([family("look", shut("away")), family("invite", shut("away"), shut("limit"))]);
  expect(summary.common.map((gate) => gate.code)).toEqual(["away"]);
  expect(summary.families.map((family) => family.shut.map((gate) => gate.code))).toEqual([[], ["limit"]]);
});

it("has nothing to say while all is open", () => {
  const summary = summariseGates([family("look", open("away")), family("invite", open("away"), open("limit"))]);
  expect(summary.common).toEqual([]);
  expect(summary.families.map((family) => [family.gates, family.shut.length])).toEqual([
    [1, 0],
    [2, 0],
  ]);
});
