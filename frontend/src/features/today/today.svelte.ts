import { todayView } from "../../lib/api/calls";
import type { CampaignToday, TodayView } from "../../lib/api/generated";
import { Query } from "../../lib/query/query.svelte";

const GAP = 1_000;

/** What waits, comes next and is wrong: of one campaign, or (null) of the newest ones; read again when something happened. */
export class TodayQuery extends Query<TodayView> {
  readonly campaigns: readonly CampaignToday[] = $derived(this.view?.campaigns ?? []);

  private readers = 0;
  private leave = (): void => undefined;

  constructor(private readonly campaign: string | null) {
    super(() => todayView({ campaign: campaign ?? "" }), GAP);
  }

  /** Follow the feed until every reader has called the function that is returned to it. */
  open(): () => void {
    if (this.readers++ === 0) this.leave = this.follow(this.campaign, () => true);
    return () => {
      if (--this.readers === 0) this.leave();
    };
  }
}

/** What waits in all campaigns, read once for the list of campaigns and for the title. */
export const allToday = new TodayQuery(null);
