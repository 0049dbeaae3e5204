import { sendQueueView, sendSessionHandOver } from "../../lib/api/calls";
import { failureOf } from "../../lib/api/errors";
import { copyText, openLink } from "../../lib/desktop/system";

/**
 * Hand an answer over where it was written: copied and, once its intent is on disk, the profile opened. The act of which the
 * user says what came of it; null if it has to wait, and is found in Send.
 */
export async function handOver(campaign: string, lead: string): Promise<string | null> {
  const card = async () => (await sendQueueView({ campaign })).people.find((person) => person.lead_id === lead);
  const waiting = await card();
  if (waiting?.digest === undefined || waiting.digest === "") return null;
  const { action_id, digest } = waiting;
  const handed = await sendSessionHandOver(campaign, { lead_id: lead, action_id, digest, no_reply: true, despite: [] });
  await copyText(handed.text);
  await failureOf(() => openLink(handed.profile_url));
  return (await card())?.action_id ?? null;
}
