import { get, post } from "../client";
import type { Done, NewCampaign, NewCampaignChoices, PreviewSteps, PreviewedSteps } from "../generated";

export const newCampaign = {
  choices: () => get<NewCampaignChoices>("/campaigns/new"),
  preview: (asked: PreviewSteps) => post<PreviewedSteps>("/campaigns/new/preview", asked),
  create: (wanted: NewCampaign) => post<Done>("/campaigns", wanted),
  /** How the campaign's last import stands; nothing when there was none in this launch. */
};
