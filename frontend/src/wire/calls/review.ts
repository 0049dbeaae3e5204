import { at, get, post, query } from "../client";
import type { DecidedList, Done, DraftPage, OutgoingPage, Shown } from "../generated";

const drafts = (campaign: string) => `/campaigns/${at(campaign)}/drafts`;
const draft = (campaign: string, id: string) => `${drafts(campaign)}/${at(id)}`;
const outgoing = (campaign: string) => `/campaigns/${at(campaign)}/outgoing`;

export const review = {
  drafts: (campaign: string, after: string | null, limit: number) => get<DraftPage>(drafts(campaign) + query({ after, limit })),
  outgoing: (campaign: string, after: string | null, limit: number) => get<OutgoingPage>(outgoing(campaign) + query({ after, limit })),
  approve: (campaign: string, id: string, digest: string) => post<Done>(`${draft(campaign, id)}/approve`, { digest }),
  approveSeveral: (campaign: string, shown: Shown[]) => post<DecidedList>(`${drafts(campaign)}/approve`, { drafts: shown }),
  edit: (campaign: string, id: string, text: string) => post<Done>(`${draft(campaign, id)}/edit`, { text }),
  reject: (campaign: string, id: string) => post<Done>(`${draft(campaign, id)}/reject`, {}),
  restore: (campaign: string, id: string) => post<Done>(`${draft(campaign, id)}/restore`, {}),
  withdraw: (campaign: string, id: string) => post<Done>(`${outgoing(campaign)}/${at(id)}/withdraw`, {}),
};
