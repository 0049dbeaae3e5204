import type { ReplyText } from "../wire/generated";

/** The reply that grows in the conversation: for this request, of a turn that has not ended. */
export function growing(reply: ReplyText | null, request: string | null, ended: number): ReplyText | null {
  return reply !== null && reply.request_id === request && reply.turn > ended ? reply : null;
}

/** What is done for the request now, in a few words. */
export function doing(reply: ReplyText | null): string {
  if (reply === null) return "Working…";
  return reply.whole ? "Carrying it out…" : "The model is writing…";
}
