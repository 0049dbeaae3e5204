import { campaigns } from "../wire/calls/campaigns";
import { review } from "../wire/calls/review";
import { RequestFailed } from "../wire/client";
import type { CampaignView, Draft, ErrorShape, FeedEvent } from "../wire/generated";
import { app } from "./app.svelte";
import { Ahead } from "./ahead";
import { foldView } from "./fold";
import { Refresher } from "./refresher";
import { keepSelection, moveSelection } from "./review";
import { toasts } from "./toasts.svelte";

/** One campaign, live: the view as last loaded, and what the user is about to decide. */
export class Campaign {
  view = $state.raw<CampaignView | null>(null);
  error = $state.raw<ErrorShape | null>(null);
  selected = $state<string | null>(null);
  /** Drafts whose decision is under way or done, until a view without them arrives. */
  private decided = $state.raw<ReadonlySet<string>>(new Set());
  /** Drafts that changed between being shown and being approved: the new text is to be read. */
  changed = $state.raw<ReadonlySet<string>>(new Set());
  readonly drafts: Draft[] = $derived((this.view?.drafts ?? []).filter((draft) => !this.decided.has(draft.id)));
  /** The time on the campaign's clock, ms UTC: as of the last load, and going on. */
  now = $state(0);
  private ahead = 0;
  private readonly folding = new Ahead(foldView);
  private readonly refresher = new Refresher(() => this.load(), 40);

  constructor(readonly id: string) {}

  /** Follow the feed until the returned function is called. */
  open(): () => void {
    const mine = (campaign: string | null) => campaign === null || campaign === this.id;
    const leave = app.follow({
      event: (event) => mine(event.campaign_id) && this.take(event),
      reload: (campaign) => mine(campaign) && this.refresher.ask(),
    });
    this.refresher.ask();
    const clock = setInterval(() => (this.now = Date.now() + this.ahead), 1_000);
    return () => {
      clearInterval(clock);
      leave();
      this.refresher.stop();
    };
  }

  again(): void {
    this.refresher.ask();
  }

  move(by: number): void {
    this.selected = moveSelection(this.drafts.map((draft) => draft.id), this.selected, by);
  }

  /** Approve exactly what is shown: `draft` is the one on the screen, and its digest goes with it. */
  async approve(draft: Draft): Promise<void> {
    await this.decide(draft, () => review.approve(this.id, draft.id, draft.digest));
  }

  async reject(draft: Draft): Promise<void> {
    await this.decide(draft, () => review.reject(this.id, draft.id));
  }

  /** Save another text; it still needs approval. Whether it was saved. */
  async edit(draft: Draft, text: string): Promise<boolean> {
    const saved = await toasts.attempt(() => review.edit(this.id, draft.id, text));
    if (saved) this.refresher.ask();
    return saved;
  }

  private async decide(draft: Draft, how: () => Promise<unknown>): Promise<void> {
    if (this.decided.has(draft.id)) return;
    const before = this.drafts.map((one) => one.id);
    this.decided = new Set([...this.decided, draft.id]);
    this.selected = keepSelection(before, this.drafts.map((one) => one.id), draft.id);
    try {
      await how();
      this.changed = without(this.changed, draft.id);
    } catch (error) {
      if (!(error instanceof RequestFailed)) throw error;
      this.decided = without(this.decided, draft.id);
      this.selected = draft.id;
      if (error.shape.code === "approval_text_changed") this.changed = new Set([...this.changed, draft.id]);
      toasts.show(error.shape);
    }
    this.refresher.ask();
  }

  /** What can be told from an event is shown at once; the rest when it is loaded. */
  private take(event: FeedEvent): void {
    this.view = this.folding.event(this.view, event);
    this.refresher.ask();
  }

  private async load(): Promise<void> {
    try {
      const before = this.drafts.map((draft) => draft.id);
      const view = await campaigns.view(this.id);
      app.feed.places.reached(this.id, view.seq);
      if (!app.connected) app.run = view.run;
      this.view = this.folding.loaded(view);
      this.ahead = view.now - Date.now();
      this.now = view.now;
      this.error = null;
      this.decided = new Set([...this.decided].filter((id) => view.drafts.some((draft) => draft.id === id)));
      this.selected = keepSelection(before, this.drafts.map((draft) => draft.id), this.selected);
    } catch (error) {
      if (!(error instanceof RequestFailed)) throw error;
      this.error = error.shape;
    }
  }
}

function without(set: ReadonlySet<string>, id: string): ReadonlySet<string> {
  return new Set([...set].filter((other) => other !== id));
}
