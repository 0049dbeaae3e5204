import { at, get, post } from "../client";
import type { BlueprintAdopted, BlueprintPreview, Criterion, Done, ScoringView } from "../generated";

const base = (campaign: string) => `/campaigns/${at(campaign)}/scoring`;

export const scoring = {
  view: (campaign: string) => get<ScoringView>(base(campaign)),
  preview: (campaign: string, criteria: Criterion[]) => post<BlueprintPreview>(`${base(campaign)}/preview`, { criteria }),
  proposed: (campaign: string, question: string) => get<BlueprintPreview>(`${base(campaign)}/proposed/${at(question)}`),
  adopt: (campaign: string, criteria: Criterion[], follows: number) =>
    post<BlueprintAdopted>(`${base(campaign)}/blueprint`, { criteria, follows }),
  again: (campaign: string) => post<Done>(`${base(campaign)}/again`, {}),
};
