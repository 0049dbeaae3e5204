import { at, get, post } from "../client";
import type { ChosenFile, Done, IntakeState, NewCampaign, NewCampaignChoices, PreviewSteps, PreviewedSteps } from "../generated";

export const newCampaign = {
  choices: () => get<NewCampaignChoices>("/campaigns/new"),
  preview: (asked: PreviewSteps) => post<PreviewedSteps>("/campaigns/new/preview", asked),
  look: (ticket: string) => get<ChosenFile>(`/campaigns/new/leads/${at(ticket)}`),
  create: (wanted: NewCampaign) => post<Done>("/campaigns", wanted),
  /** How the campaign's last import stands; nothing when there was none in this launch. */
  intake: (id: string) => get<IntakeState | undefined>(`/campaigns/${at(id)}/intake`),
};
