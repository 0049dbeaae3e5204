import { at, get, query } from "../client";
import type { InsightsView, Rates } from "../generated";

export const insights = {
  view: (campaign: string) => get<InsightsView>(`/campaigns/${at(campaign)}/insights`),
  rates: (campaign: string, field: string) => get<Rates>(`/campaigns/${at(campaign)}/insights/rates${query({ field })}`),
};
