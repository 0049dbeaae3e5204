import { campaigns } from "../wire/calls/campaigns";
import { RequestFailed } from "../wire/client";
import type { CampaignView, ErrorShape } from "../wire/generated";
import { app } from "./app.svelte";
import { Refresher } from "./refresher";

/** One campaign, live: the view as last loaded, shared by all its screens. */
export class Campaign {
  view = $state.raw<CampaignView | null>(null);
  error = $state.raw<ErrorShape | null>(null);
  private readonly refresher = new Refresher(() => this.load(), 200);

  constructor(readonly id: string) {}

  /** Follow the feed until the returned function is called. */
  open(): () => void {
    const mine = (campaign: string | null) => campaign === null || campaign === this.id;
    const leave = app.follow({
      event: (event) => mine(event.campaign_id) && this.refresher.ask(),
      reload: (campaign) => mine(campaign) && this.refresher.ask(),
    });
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
      const view = await campaigns.view(this.id);
      app.feed.places.reached(this.id, view.seq);
      if (!app.connected) app.run = view.run;
      this.view = view;
      this.error = null;
    } catch (error) {
      if (!(error instanceof RequestFailed)) throw error;
      this.error = error.shape;
    }
  }
}
