import { scoringView } from "../../lib/api/calls";
import type { Criterion, FeedEvent, ScoringView } from "../../lib/api/generated";
import { Query } from "../../lib/query/query.svelte";
import { foldRun } from "./scoring";

const CONCERNS = new Set(["scoring", "campaign", "input_request", "import"]);

/** By what a campaign's leads are scored, live. */
export class ScoringQuery extends Query<ScoringView> {
  constructor(readonly campaign: string) {
    super(() => scoringView(campaign));
  }

  /** Follow the feed until the returned function is called. */
  open(): () => void {
    return this.follow(this.campaign, (event) => this.onEvent(event));
  }

  private onEvent(event: FeedEvent): boolean {
    if (this.view !== null && event.entity === "scoring")
      this.view = { ...this.view, run: foldRun(this.view.run, event) };
    return CONCERNS.has(event.entity);
  }
}

/** What is being written, by campaign: it outlives a look at another screen. */
class BlueprintDrafts {
  private readonly drafts = $state<Record<string, { criteria: Criterion[]; follows: number }>>({});

  of(campaign: string): { criteria: Criterion[]; follows: number } | null {
    return this.drafts[campaign] ?? null;
  }

  begin(campaign: string, criteria: readonly Criterion[], follows: number): void {
    this.drafts[campaign] = { criteria: structuredClone($state.snapshot(criteria) as Criterion[]), follows };
  }

  drop(campaign: string): void {
    delete this.drafts[campaign];
  }
}

export const blueprintDrafts = new BlueprintDrafts();
