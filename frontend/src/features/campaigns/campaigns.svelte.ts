import { campaignsList } from "../../lib/api/calls";
import type { CampaignSummary } from "../../lib/api/generated";
import { PagedQuery } from "../../lib/query/pagedQuery.svelte";
import type { PageOf } from "../../lib/query/pagedQuery.svelte";
import { app } from "../../lib/state/app.svelte";

/** The list of campaigns as far as it was scrolled, narrowed by what is searched for. */
export class Campaigns extends PagedQuery<CampaignSummary> {
  /** The words that are shown now; what is typed is asked for next. */
  shown = $state("");
  private search = "";

  constructor() {
    super((after) => this.page(after));
  }

  /** Follow the feed until the returned function is called. */
  open(): () => void {
    return this.follow(null, () => true);
  }

  find(words: string): void {
    this.search = words;
    this.refresh();
  }

  /** Other words find other campaigns: then the list begins with its first page. */
  override load(): Promise<void> {
    return this.search === this.shown ? super.load() : this.restart();
  }

  private async page(after: string | null): Promise<PageOf<CampaignSummary>> {
    const search = this.search;
    const answer = await campaignsList({ after, search });
    if (!app.connected) app.run = answer.run;
    this.shown = search;
    return { rows: answer.campaigns, next: answer.next };
  }
}
