import { STEPS } from "../state/stepper";
import type { ReplyText } from "../wire/generated";

/** The reply that grows in the conversation: for this request, of a turn that has not ended. */
export function growing(reply: ReplyText | null, request: string | null, ended: number): ReplyText | null {
  return reply !== null && reply.request_id === request && reply.turn > ended ? reply : null;
}

/** What is done for the request now, in a few words; `closed` steps of its turn are behind it. */
export function doing(reply: ReplyText | null, closed: number): string {
  if (reply !== null && !reply.whole) return "The model is writing…";
  const step = STEPS[closed];
  return closed === 0 || step === undefined ? "Working…" : `Working: ${step.toLowerCase()}…`;
}
