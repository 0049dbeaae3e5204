import { at, post } from "../client";
import type { Done } from "../generated";

const draft = (campaign: string, id: string) => `/campaigns/${at(campaign)}/drafts/${at(id)}`;

export const review = {
  approve: (campaign: string, id: string, digest: string) => post<Done>(`${draft(campaign, id)}/approve`, { digest }),
  edit: (campaign: string, id: string, text: string) => post<Done>(`${draft(campaign, id)}/edit`, { text }),
  reject: (campaign: string, id: string) => post<Done>(`${draft(campaign, id)}/reject`, {}),
};
