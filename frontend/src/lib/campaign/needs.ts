import type { CampaignView, Need } from "../api/generated";
import { linkTo, type ScreenId } from "../navigation/route";

/** How much of each kind waits for the user; nothing of a kind that is not named. */
export type Needs = Partial<Record<Need, number>>;

/** Where each is done: the screen, whose badge counts it, and the part of it. */
const PLACES: Record<Need, readonly [ScreenId, ...string[]]> = {
  approve: ["review"],
  send: ["send"],
  read: ["inbox"],
  answer: ["today", "questions"],
  tell_apart: ["leads", "same-person"],
  add_leads: ["leads", "import"],
  import_again: ["leads", "import"],
};

/** The address where the user does it; `rest` is more of it, such as whose conversation. */
export const linkToNeed = (campaign: string, need: Need, ...rest: string[]): string => linkTo(campaign, ...PLACES[need], ...rest);

/** How much waits on each screen. An incident is cleared on Today. */
export function badgesOf(view: Pick<CampaignView, "needs" | "incidents">): Partial<Record<ScreenId, number>> {
  const badges: Partial<Record<ScreenId, number>> = { today: view.incidents.length };
  for (const need of Object.keys(PLACES) as Need[]) {
    const [screen] = PLACES[need];
    badges[screen] = (badges[screen] ?? 0) + (view.needs[need] ?? 0);
  }
  return badges;
}
