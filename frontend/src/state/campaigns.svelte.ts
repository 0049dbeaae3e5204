import { campaigns } from "../wire/calls/campaigns";
import { RequestFailed } from "../wire/client";
import type { CampaignSummary, ErrorShape } from "../wire/generated";
import { app } from "./app.svelte";
import { Refresher } from "./refresher";

/** The list of campaigns, loaded again when something changed. */
export class Campaigns {
  list = $state.raw<CampaignSummary[] | null>(null);
  error = $state.raw<ErrorShape | null>(null);
  private readonly refresher = new Refresher(() => this.load(), 500);

  /** Follow the feed until the returned function is called. */
  open(): () => void {
    const leave = app.follow({ event: () => this.refresher.ask(), reload: () => this.refresher.ask() });
    this.refresher.ask();
    return () => {
      leave();
      this.refresher.stop();
    };
  }

  again(): void {
    this.refresher.ask();
  }

  private async load(): Promise<void> {
    try {
      const answer = await campaigns.list();
      this.list = answer.campaigns;
      if (!app.connected) app.run = answer.run;
      this.error = null;
    } catch (error) {
      if (!(error instanceof RequestFailed)) throw error;
      this.error = error.shape;
    }
  }
}
