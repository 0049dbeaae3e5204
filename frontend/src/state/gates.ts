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

/** Something that a text waits for once it is approved; `until` null means until somebody acts, undefined until Outrider does. */
export interface Wait {
  sentence: string;
  until?: number | null;
}

/** What an approved text still waits for; an old reading of the thread is renewed without anybody's help. */
export function waitsOf(gates: readonly GateLine[]): Wait[] {
  return gates
    .filter((gate) => !gate.passes && gate.code !== "approved")
    .map((gate) => (gate.code === "thread_fresh" ? { sentence: "The thread is read again first." } : { sentence: gate.sentence, until: gate.until }));
}
