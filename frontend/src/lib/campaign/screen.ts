import type { Campaign } from "./campaign.svelte";

/** What every screen of a campaign is given; `rest` is what follows the screen in the address. */
export interface ScreenProps {
  campaign: Campaign;
  rest: string[];
}
