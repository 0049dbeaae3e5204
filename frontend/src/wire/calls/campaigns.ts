import { at, get, post, query } from "../client";
import type { CampaignList, CampaignSettings, CampaignView, Done, EditCampaign, EditedCampaign } from "../generated";

export const campaigns = {
  list: (after: string | null, search: string) => get<CampaignList>(`/campaigns${query({ after, search })}`),
  view: (id: string) => get<CampaignView>(`/campaigns/${at(id)}`),
  settings: (id: string) => get<CampaignSettings>(`/campaigns/${at(id)}/settings`),
  edit: (id: string, wanted: EditCampaign) => post<EditedCampaign>(`/campaigns/${at(id)}/settings`, wanted),
  recover: (id: string, reason: string) => post<Done>(`/campaigns/${at(id)}/recover`, { reason }),
  clearIncident: (id: string, reason: string) => post<Done>(`/campaigns/${at(id)}/incidents/clear`, { reason }),
  answer: (id: string, question: string, answer: string) =>
    post<Done>(`/campaigns/${at(id)}/questions/${at(question)}/answer`, { answer }),
};
