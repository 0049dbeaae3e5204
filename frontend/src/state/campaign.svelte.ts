import { campaigns } from "../wire/calls/campaigns";
import { RequestFailed } from "../wire/client";
import type { CampaignView, ErrorShape, FeedEvent } from "../wire/generated";
import { app } from "./app.svelte";
import { Ahead } from "./ahead";
import { foldView } from "./fold";
import { keepFresh } from "./fresh";
import { Refresher } from "./refresher";

/** One campaign, live: the view as last loaded, shared by all its screens. */
export class Campaign {
  view = $state.raw<CampaignView | null>(null);
  error = $state.raw<ErrorShape | null>(null);
  /** The time on the campaign's clock, ms UTC: as of the last load, and going on. */
  now = $state(0);
  private ahead = 0;
  private readonly folding = new Ahead(foldView);
  private readonly refresher = new Refresher(() => this.load(), 40);

  constructor(readonly id: string) {}

  /** Follow the feed until the returned function is called. */
  open(): () => void {
    const leave = keepFresh(
      this.id,
      this.refresher,
      (event) => this.take(event),
      () => this.folding.forget(),
    );
    const clock = setInterval(() => (this.now = Date.now() + this.ahead), 1_000);
    return () => {
      clearInterval(clock);
      leave();
    };
  }

  again(): void {
    this.refresher.ask();
  }

  /** What can be told from an event is shown at once; the rest when it is loaded. */
  private take(event: FeedEvent): boolean {
    this.view = this.folding.event(this.view, event);
    return true;
  }

  private async load(): Promise<void> {
    try {
      const view = await campaigns.view(this.id);
      if (!app.connected) app.run = view.run;
      this.view = this.folding.loaded(view);
      this.ahead = view.now - Date.now();
      this.now = view.now;
      this.error = null;
    } catch (error) {
      if (!(error instanceof RequestFailed)) throw error;
      this.error = error.shape;
    }
  }
}
