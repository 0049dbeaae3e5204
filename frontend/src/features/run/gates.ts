import type { ActionFamily, FamilyGates, GateLine } from "../../lib/api/generated";

export interface FamilySummary {
  family: ActionFamily;
  waiting: number;
  gates: number;
  /** Shut for this family and not for all. */
  shut: GateLine[];
}

export interface GateSummary {
  /** Shut for every family alike, so said once. */
  common: GateLine[];
  families: FamilySummary[];
}

export function summariseGates(families: readonly FamilyGates[]): GateSummary {
  const shut = families.map((family) => family.gates.filter((gate) => !gate.passes));
  const everywhere = (gate: GateLine) =>
    shut.every((list) => list.some((other) => other.code === gate.code && other.sentence === gate.sentence));
  const common = families.length > 1 ? (shut[0] ?? []).filter(everywhere) : [];
  return {
    common,
    families: families.map((family, index) => ({
      family: family.family,
      waiting: family.waiting,
      gates: family.gates.length,
      shut: (shut[index] ?? []).filter((gate) => !common.some((other) => other.code === gate.code)),
    })),
  };
}
