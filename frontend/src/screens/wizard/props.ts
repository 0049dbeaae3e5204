import type { making } from "../../state/making.svelte";
import type { NewCampaignChoices } from "../../wire/generated";

/** What every step of the wizard is given. */
export interface StepProps {
  making: typeof making;
  choices: NewCampaignChoices;
}
