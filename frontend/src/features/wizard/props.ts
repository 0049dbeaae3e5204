import type { campaignDraft } from "./campaignDraft.svelte";
import type { NewCampaignChoices } from "../../lib/api/generated";

/** What every step of the wizard is given. */
export interface StepProps {
  draft: typeof campaignDraft;
  choices: NewCampaignChoices;
}
