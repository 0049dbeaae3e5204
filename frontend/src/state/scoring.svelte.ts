import { scoring as calls } from "../wire/calls/scoring";
import { RequestFailed } from "../wire/client";
import type { BlueprintPreview, Criterion, ErrorShape, FeedEvent, ScoringView } from "../wire/generated";
import { app } from "./app.svelte";
import { Refresher } from "./refresher";
import { foldRun } from "./scoring";

/** By what a campaign's leads are scored, live. */
export class Scoring {
  view = $state.raw<ScoringView | null>(null);
  error = $state.raw<ErrorShape | null>(null);
  private readonly refresher = new Refresher(() => this.load(), 300);

  constructor(readonly campaign: string) {}

  /** Follow the feed until the returned function is called. */
  open(): () => void {
    const leave = app.follow({
      event: (event) => event.campaign_id === this.campaign && this.heard(event),
      reload: (campaign) => (campaign === null || campaign === this.campaign) && this.refresher.ask(),
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

  private heard(event: FeedEvent): void {
    if (this.view !== null && event.entity === "scoring") this.view = { ...this.view, run: foldRun(this.view.run, event) };
    if (["scoring", "campaign", "input_request", "import"].includes(event.entity)) this.refresher.ask();
  }

  private async load(): Promise<void> {
    try {
      this.view = await calls.view(this.campaign);
      this.error = null;
    } catch (error) {
      if (!(error instanceof RequestFailed)) throw error;
      this.error = error.shape;
    }
  }
}

/** What a blueprint would do, asked again after each change; the latest question gets the answer. */
export class Previewed {
  found = $state.raw<BlueprintPreview | null>(null);
  error = $state.raw<ErrorShape | null>(null);
  waits = $state(false);
  private asked = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly campaign: string) {}

  /** The blueprint of a question that is open. */
  question(id: string): void {
    void this.ask(() => calls.proposed(this.campaign, id));
  }

  /** Criteria that are being written; asked when they have not changed for a moment. */
  criteria(criteria: Criterion[]): void {
    clearTimeout(this.timer);
    this.waits = true;
    this.timer = setTimeout(() => void this.ask(() => calls.preview(this.campaign, criteria)), 200);
  }

  /** Nothing can be asked now. */
  rest(): void {
    clearTimeout(this.timer);
    this.asked += 1;
    this.found = null;
    this.waits = false;
  }

  private async ask(how: () => Promise<BlueprintPreview>): Promise<void> {
    const mine = ++this.asked;
    this.waits = true;
    try {
      const found = await how();
      if (mine !== this.asked) return;
      this.found = found;
      this.error = null;
    } catch (error) {
      if (!(error instanceof RequestFailed)) throw error;
      if (mine === this.asked) this.error = error.shape;
    } finally {
      if (mine === this.asked) this.waits = false;
    }
  }
}

/** What is being written, by campaign: it outlives a look at another screen. */
class Drafts {
  private readonly kept = $state<Record<string, { criteria: Criterion[]; follows: number }>>({});

  of(campaign: string): { criteria: Criterion[]; follows: number } | null {
    return this.kept[campaign] ?? null;
  }

  begin(campaign: string, criteria: readonly Criterion[], follows: number): void {
    this.kept[campaign] = { criteria: structuredClone($state.snapshot(criteria) as Criterion[]), follows };
  }

  drop(campaign: string): void {
    delete this.kept[campaign];
  }
}

export const scoringDrafts = new Drafts();
