import type { GateLine } from "../../lib/api/generated";

/** Something that a text waits for once it is approved; `until` null means until somebody acts, undefined until Outrider does. */
export interface Wait {
  sentence: string;
  until?: number | null;
}

/** What an approved text still waits for; an old reading of the thread is renewed without anybody's help. */
export function waitsOf(gates: readonly GateLine[]): Wait[] {
  return gates
    .filter((gate) => !gate.passes && gate.code !== "approved")
    .map((gate) =>
      gate.code === "thread_fresh"
        ? { sentence: "The thread is read again first." }
        : { sentence: gate.sentence, until: gate.until },
    );
}
