import type { GateLine } from "../../lib/api/generated";

/** Something that a text waits for once it is approved; `until` null means until somebody acts, undefined until Outrider does. */
export interface Wait {
  sentence: string;
  until?: number | null;
}

/** The approval is what the screen is for; the others are told above the text. */
const TOLD_ELSEWHERE: ReadonlySet<string> = new Set(["approved", "not_in_touch_elsewhere", "same_person_settled"]);

/** What ends so shortly before the planned time is its reason, such as the night before the first working hour. */
const AN_HOUR = 3_600_000;

/**
 * What an approved text still waits for; an old reading of the conversation is renewed by Outrider, or by the user in the send
 * session. `planned` is about when it goes out behind those before it: what ends sooner is not what it waits for.
 */
export function waitsOf(gates: readonly GateLine[], byHand = false, planned: number | null = null): Wait[] {
  const waits = gatesOf(gates, byHand);
  const ends = waits.map((wait) => wait.until).filter((until) => typeof until === "number");
  if (planned === null || ends.some((until) => until > planned - AN_HOUR)) return waits;
  return [...waits.filter((wait) => typeof wait.until !== "number"), { sentence: "Others go out before it.", until: planned }];
}

function gatesOf(gates: readonly GateLine[], byHand: boolean): Wait[] {
  return gates
    .filter((gate) => !gate.passes && !TOLD_ELSEWHERE.has(gate.code))
    .map((gate) =>
      gate.code === "thread_fresh"
        ? { sentence: byHand ? "You check the conversation first, in Send." : "The conversation is read again first." }
        : { sentence: gate.sentence, until: gate.until },
    );
}
