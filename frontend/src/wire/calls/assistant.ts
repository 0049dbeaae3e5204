import { at, get, post, query, remove } from "../client";
import type { Ask, Asked, Conversation, Done } from "../generated";

const base = (campaign: string) => `/campaigns/${at(campaign)}/assistant`;

export const assistant = {
  conversation: (campaign: string, before: string | null) => get<Conversation>(`${base(campaign)}${query({ before })}`),
  ask: (campaign: string, said: Ask) => post<Asked>(`${base(campaign)}/messages`, said),
  stop: (campaign: string) => post<Done>(`${base(campaign)}/stop`, {}),
  hide: (campaign: string) => remove<Done>(base(campaign)),
  restore: (campaign: string) => post<Done>(`${base(campaign)}/restore`, {}),
};
