import { campaignsList } from "../../lib/api/calls";
import type { CampaignSummary } from "../../lib/api/generated";
import { PagedQuery } from "../../lib/query/pagedQuery.svelte";
import type { PageOf } from "../../lib/query/pagedQuery.svelte";
import { lastKnown } from "../../lib/app/lastKnown.svelte";
import { rowOf } from "./row";
import { app } from "../../lib/app/app.svelte";

/** The list of campaigns as far as it was scrolled, narrowed by what is searched for. */
export class Campaigns extends PagedQuery<CampaignSummary> {
  /** The words that are shown now; what is typed is asked for next. */
  shown = $state("");
  /** Whether it is the archive that is shown. */
  archived = $state(false);
  /** Whether the rows are what they were when Outrider was closed. */
  readonly fromLastVisit = $derived(!this.loaded && this.rows.length > 0);
  private search = "";
  private loadedArchive = false;

  constructor() {
    super((after) => this.page(after));
    this.rows = lastKnown().map(rowOf);
  }

  /** Follow the feed until the returned function is called. */
  open(): () => void {
    return this.follow(null, () => true);
  }

  find(words: string): void {
    this.search = words;
    this.refresh();
  }

  /** The archive, or all other campaigns. */
  turn(archived: boolean): void {
    this.archived = archived;
    this.refresh();
  }

  /** Other words find other campaigns: then the list begins with its first page. */
  override load(): Promise<void> {
    return this.search === this.shown && this.archived === this.loadedArchive ? super.load() : this.restart();
  }

  private async page(after: string | null): Promise<PageOf<CampaignSummary>> {
    const { search, archived } = this;
    const answer = await campaignsList({ after, search, archived });
    if (!app.connected) app.takeRuns(answer.runs);
    this.shown = search;
    this.loadedArchive = archived;
    return { rows: answer.campaigns, next: answer.next };
  }
}
