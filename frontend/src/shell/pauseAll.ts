import { runsPause, runsStart } from "../lib/api/calls";
import type { PausedAll } from "../lib/api/generated";
import { toasts } from "../lib/app/toasts.svelte";

/** Pause every campaign, wherever it runs; the toast says which, and lets those that ran here continue. */
export async function pauseAll(): Promise<void> {
  let paused: PausedAll | undefined;
  if (!(await toasts.attempt(async () => (paused = await runsPause()))) || paused === undefined) return;
  const ranHere = paused.campaigns.filter((campaign) => campaign.ran_here);
  const undo = { label: ranHere.length === 1 ? "Continue it" : "Continue them", run: () => void continueAll(ranHere.map((campaign) => campaign.id)) };
  toasts.info(pausedSentence(paused), ranHere.length > 0 ? undo : undefined);
}

async function continueAll(campaigns: readonly string[]): Promise<void> {
  for (const id of campaigns) await toasts.attempt(() => runsStart(id));
}

/** What was paused, and who does not know of it yet. */
export function pausedSentence({ campaigns, out_of_reach, acting_name }: PausedAll): string {
  const [first, ...others] = campaigns;
  if (first === undefined) return "No campaign is on.";
  const sentence = others.length === 0 ? `Paused “${first.name}”.` : `Paused ${campaigns.length} campaigns.`;
  if (!out_of_reach) return sentence;
  return `${sentence} ${acting_name ? `“${acting_name}”` : "Another device"} cannot be reached now, and stops once it hears of this.`;
}
