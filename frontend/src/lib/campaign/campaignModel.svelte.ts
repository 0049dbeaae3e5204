import { modelsChoose, modelsOfCampaign } from "../api/calls";
import type { CampaignModel } from "../api/generated";
import { Query } from "../query/query.svelte";
import { toasts } from "../app/toasts.svelte";

const GAP = 500;

/** Which model proposes in one campaign, and what that has cost. */
export class CampaignModelQuery extends Query<CampaignModel> {
  constructor(readonly campaign: string) {
    super(() => modelsOfCampaign(campaign), GAP);
  }

  /** Who proposes from the next turn on; `alone` also the steps that take no judgement. */
  async choose(proposer: string, alone: boolean): Promise<void> {
    const before = this.view;
    const chosen = await this.change(() => modelsChoose(this.campaign, { proposer, alone }));
    if (!chosen || before === null) return;
    const undo = { label: "Undo", run: () => void this.choose(before.proposer, before.alone) };
    toasts.info(`From the next step on: ${this.view?.title ?? proposer}.`, undo);
  }
}
