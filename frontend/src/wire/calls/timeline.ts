import { at, get, post, query } from "../client";
import type { PastLeads, PastMoment, PastTasks, Proof, TimelineEntry, TimelinePage, TimelineQuery } from "../generated";

export type LogName = TimelineQuery["log"];

/** What is looked for in a log; an empty word looks for everything. */
export interface LogQuery {
  log: LogName;
  group: string;
  actor: string;
  about: string;
  turn: number | null;
  text: string;
}

const base = (id: string) => `/campaigns/${at(id)}`;

export const timeline = {
  page: (id: string, asked: LogQuery, place: { before?: number; after?: number }) =>
    get<TimelinePage>(`${base(id)}/timeline${query({ ...asked, ...place })}`),
  entry: (id: string, log: LogName, seq: number) => get<TimelineEntry>(`${base(id)}/timeline/${log}/${seq}`),
  exported: (id: string) => `${base(id)}/timeline/export`,
  moment: (id: string, seq: number) => get<PastMoment>(`${base(id)}/past/${seq}`),
  tasksThen: (id: string, seq: number, after: string | null) => get<PastTasks>(`${base(id)}/past/${seq}/tasks${query({ after })}`),
  leadsThen: (id: string, seq: number, after: string | null) => get<PastLeads>(`${base(id)}/past/${seq}/leads${query({ after })}`),
  proof: (id: string) => get<Proof>(`${base(id)}/proof`),
  prove: (id: string) => post<Proof>(`${base(id)}/proof`, {}),
};
