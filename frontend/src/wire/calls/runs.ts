import { at, get, post, query } from "../client";
import type { Done, Reply, RunView, TurnDetail, TurnPage } from "../generated";

const campaign = (id: string) => `/campaigns/${at(id)}`;

export const runs = {
  rehearse: () => post<Done>("/rehearsals", {}),
  start: (id: string) => post<Done>(`${campaign(id)}/start`, {}),
  step: (id: string) => post<Done>(`${campaign(id)}/step`, {}),
  stop: (id: string) => post<Done>(`${campaign(id)}/stop`, {}),
  view: (id: string) => get<RunView>(`${campaign(id)}/run`),
  turns: (id: string, before: number | null, task = "") => get<TurnPage>(`${campaign(id)}/turns${query({ before, task })}`),
  turn: (id: string, number: number) => get<TurnDetail>(`${campaign(id)}/turns/${number}`),
  reply: (id: string, number: number) => get<Reply>(`${campaign(id)}/turns/${number}/reply`),
};
