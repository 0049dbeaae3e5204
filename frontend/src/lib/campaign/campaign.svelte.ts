import { campaignsView } from "../api/calls";
import type { CampaignView } from "../api/generated";
import { foldView } from "../live/fold";
import { LiveQuery } from "../query/liveQuery.svelte";
import { app } from "../app/app.svelte";
import { lastKnown } from "../app/lastKnown.svelte";

/** One campaign, live, shared by all its screens. */
export class Campaign extends LiveQuery<CampaignView> {
  /** The time on the campaign's clock, ms UTC: as of the last load, and going on. */
  now = $state(0);
  /** What it was when Outrider was closed, until Outrider can be asked. */
  readonly lastKnown = $derived(lastKnown().find((campaign) => campaign.id === this.id) ?? null);
  /** How far the campaign's clock is ahead of this machine's. */
  private ahead = 0;

  /** A rehearsal's clock goes on by what happens in it, not by the time that its reader takes. */
  get stands(): boolean {
    return this.view?.site === "practice";
  }

  constructor(readonly id: string) {
    super(id, () => campaignsView(id), foldView);
  }

  override open(): () => void {
    const leave = super.open();
    const clock = setInterval(() => {
      if (!this.stands) this.now = Date.now() + this.ahead;
    }, 1_000);
    return () => {
      clearInterval(clock);
      leave();
    };
  }

  protected override received(view: CampaignView): CampaignView {
    if (!app.connected) app.takeRuns([view.run]);
    this.ahead = view.now - Date.now();
    this.now = view.now;
    return super.received(view);
  }
}
