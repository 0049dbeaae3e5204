import { campaigns } from "../wire/calls/campaigns";
import { RequestFailed } from "../wire/client";
import type { CampaignSummary, ErrorShape } from "../wire/generated";
import { app } from "./app.svelte";
import { keepFresh } from "./fresh";
import { Refresher } from "./refresher";

/** The list of campaigns as far as it was scrolled, loaded again when something changed. */
export class Campaigns {
  list = $state.raw<readonly CampaignSummary[] | null>(null);
  more = $state(false);
  error = $state.raw<ErrorShape | null>(null);
  /** The words that are shown now; what is typed is asked for next. */
  shown = $state("");
  private search = "";
  private wanted = 1;
  private readonly refresher = new Refresher(() => this.load(), 300);

  /** Follow the feed until the returned function is called. */
  open(): () => void {
    return keepFresh(null, this.refresher, () => true);
  }

  again(): void {
    this.refresher.ask();
  }

  find(words: string): void {
    this.search = words;
    this.wanted = 1;
    this.refresher.ask();
  }

  further(): void {
    if (!this.more) return;
    this.more = false;
    this.wanted += 1;
    this.refresher.ask();
  }

  private async load(): Promise<void> {
    const search = this.search;
    try {
      const rows: CampaignSummary[] = [];
      let next: string | null = null;
      for (let page = 0; page < this.wanted && (page === 0 || next !== null); page += 1) {
        const answer = await campaigns.list(next, search);
        rows.push(...answer.campaigns);
        next = answer.next;
        if (!app.connected) app.run = answer.run;
      }
      this.list = rows;
      this.more = next !== null;
      this.shown = search;
      this.error = null;
    } catch (error) {
      if (!(error instanceof RequestFailed)) throw error;
      this.error = error.shape;
    }
  }
}
