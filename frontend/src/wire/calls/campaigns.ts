import { at, get, post } from "../client";
import type { CampaignList, CampaignView, Done } from "../generated";

export const campaigns = {
  list: () => get<CampaignList>("/campaigns"),
  view: (id: string) => get<CampaignView>(`/campaigns/${at(id)}`),
  recover: (id: string, reason: string) => post<Done>(`/campaigns/${at(id)}/recover`, { reason }),
  clearIncident: (id: string, reason: string) => post<Done>(`/campaigns/${at(id)}/incidents/clear`, { reason }),
  answer: (id: string, question: string, answer: string) =>
    post<Done>(`/campaigns/${at(id)}/questions/${at(question)}/answer`, { answer }),
};
