import { STEPS } from "../state/stepper";
import type { ReplyText, StepTicker } from "../wire/generated";

/** What a request's turn does now, in a few words; `closed` steps of it are behind it. */
export function doing(step: StepTicker | null, writing: boolean): string {
  if (writing) return "The model is writing…";
  const closed = step?.step ?? 0;
  if (closed <= 0 || closed >= STEPS.length) return "Working…";
  return `${STEPS[closed]}…`;
}

/** The reply that grows in the conversation: of this campaign, and not one of a turn that is a line already. */
export function growing(reply: ReplyText | null, campaign: string, turns: ReadonlySet<number>): ReplyText | null {
  return reply !== null && reply.campaign_id === campaign && !turns.has(reply.turn) ? reply : null;
}
