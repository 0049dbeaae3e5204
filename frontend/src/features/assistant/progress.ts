import { STEPS } from "../../lib/campaign/turnSteps";
import type { ReplyText } from "../../lib/api/generated";

/** The reply that is being streamed for this request, of a turn that has not ended. */
export function streamedReply(reply: ReplyText | null, request: string | null, lastEndedTurn: number): ReplyText | null {
  return reply !== null && reply.request_id === request && reply.turn > lastEndedTurn ? reply : null;
}

/** What is done for the request now, in a few words; `finishedSteps` steps of its turn are behind it. */
export function progressText(reply: ReplyText | null, finishedSteps: number): string {
  if (reply !== null && !reply.whole) return "The model is writing…";
  const step = STEPS[finishedSteps];
  return finishedSteps === 0 || step === undefined ? "Working…" : `Working: ${step.toLowerCase()}…`;
}
