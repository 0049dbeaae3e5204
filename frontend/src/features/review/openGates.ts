import type { GateLine } from "../../lib/api/generated";

/** Something that a text waits for once it is approved; `until` null means until somebody acts, undefined until Outrider does. */
export interface Wait {
  sentence: string;
  until?: number | null;
}

/** The approval is what the screen is for; the others are told above the text. */
const TOLD_ELSEWHERE: ReadonlySet<string> = new Set(["approved", "not_in_touch_elsewhere", "same_person_settled"]);

/** What an approved text still waits for; an old reading of the conversation is renewed by Outrider, or by the user in the send session. */
export function waitsOf(gates: readonly GateLine[], byHand = false): Wait[] {
  return gates
    .filter((gate) => !gate.passes && !TOLD_ELSEWHERE.has(gate.code))
    .map((gate) =>
      gate.code === "thread_fresh"
        ? { sentence: byHand ? "You check the conversation first, in Send." : "The conversation is read again first." }
        : { sentence: gate.sentence, until: gate.until },
    );
}
