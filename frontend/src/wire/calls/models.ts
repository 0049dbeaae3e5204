import { at, get, post } from "../client";
import type { CampaignModel, Connection, Done, ModelConnection, ModelKey, ModelsView, ModelTrial } from "../generated";

export const models = {
  view: () => get<ModelsView>("/models"),
  save: (connection: Connection) => post<ModelConnection>("/models", { connection }),
  remove: (id: string) => post<Done>(`/models/${at(id)}/delete`, {}),
  test: (id: string) => post<ModelTrial>(`/models/${at(id)}/test`, {}),
  key: (id: string) => get<ModelKey>(`/models/${at(id)}/key`),
  setKey: (id: string, secret: string) => post<ModelKey>(`/models/${at(id)}/key`, { secret }),
  forgetKey: (id: string) => post<ModelKey>(`/models/${at(id)}/key/forget`, {}),
  of: (campaign: string) => get<CampaignModel>(`/campaigns/${at(campaign)}/model`),
  choose: (campaign: string, proposer: string) => post<CampaignModel>(`/campaigns/${at(campaign)}/model`, { proposer }),
};
