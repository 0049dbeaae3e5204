import { at, get, post, query } from "../client";
import type {
  ChosenLeads, ContactRefused, Done, FoundInFile, ImportPage, ImportPreview, LeadDetail, LeadFacets, LeadWindow, PreviewedSteps, Prioritised, RejectedPage, TagsKept,
} from "../generated";

export type Asked = Record<string, string | number | null | undefined>;

const base = (campaign: string) => `/campaigns/${at(campaign)}/leads`;
const files = (campaign: string) => `/campaigns/${at(campaign)}/imports`;

export const leads = {
  window: (campaign: string, asked: Asked) => get<LeadWindow>(`${base(campaign)}${query(asked)}`),
  facets: (campaign: string) => get<LeadFacets>(`${base(campaign)}/facets`),
  exportPath: (campaign: string, asked: Asked) => `${base(campaign)}/export${query(asked)}`,
  detail: (campaign: string, id: string) => get<LeadDetail>(`${base(campaign)}/${at(id)}`),
  texts: (campaign: string, id: string) => get<PreviewedSteps>(`${base(campaign)}/${at(id)}/texts`),
  prioritise: (campaign: string, id: string, priority: number | null) =>
    post<Prioritised>(`${base(campaign)}/${at(id)}/priority`, { priority }),
  place: (campaign: string, id: string, above: string | null, below: string | null, upwards: boolean) =>
    post<Prioritised>(`${base(campaign)}/${at(id)}/place`, { above, below, upwards }),
  note: (campaign: string, id: string, text: string) => post<Done>(`${base(campaign)}/${at(id)}/note`, { text }),
  tag: (campaign: string, id: string, tags: string[]) => post<TagsKept>(`${base(campaign)}/${at(id)}/tags`, { tags }),
  doNotContact: (campaign: string, id: string, reason: string) =>
    post<ContactRefused>(`${base(campaign)}/${at(id)}/do-not-contact`, { reason }),
  contactAgain: (campaign: string, id: string) => post<Done>(`${base(campaign)}/${at(id)}/contact`, {}),
};

export const leadFiles = {
  preview: (chosen: ChosenLeads) => post<ImportPreview>("/lead-files/preview", chosen),
  find: (chosen: ChosenLeads, words: string) => post<FoundInFile>("/lead-files/find", { ...chosen, words }),
};

export const imports = {
  start: (campaign: string, chosen: ChosenLeads) => post<Done>(files(campaign), chosen),
  list: (campaign: string, before: string | null) => get<ImportPage>(`${files(campaign)}${query({ before })}`),
  rejected: (campaign: string, id: string, after: string | null) =>
    get<RejectedPage>(`${files(campaign)}/${at(id)}/rejected${query({ after })}`),
  rejectedPath: (campaign: string, id: string) => `${files(campaign)}/${at(id)}/rejected/export`,
};
