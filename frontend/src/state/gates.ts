import type { FamilyGates, GateLine } from "../wire/generated";

export interface FamilySummary {
  family: string;
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

const OF_THE_LEAD = new Set(["not_on_do_not_contact", "not_replied", "thread_fresh", "lead_not_blocked"]);

/** What holds this one message back besides its approval; what holds the whole account back is told once, beside it. */
export function holdsOf(gates: readonly GateLine[]): GateLine[] {
  return gates.filter((gate) => !gate.passes && OF_THE_LEAD.has(gate.code));
}
