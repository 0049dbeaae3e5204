import { todayView } from "../../lib/api/calls";
import type { CampaignToday, TodayView } from "../../lib/api/generated";
import { Query } from "../../lib/query/query.svelte";

const GAP = 1_000;

/** What waits, comes next and is wrong: of one campaign, or (null) of the newest ones; read again when something happened. */
export class TodayQuery extends Query<TodayView> {
  readonly campaigns: readonly CampaignToday[] = $derived(this.view?.campaigns ?? []);

  constructor(
    private readonly campaign: string | null,
    gap = GAP,
  ) {
    super(() => todayView({ campaign: campaign ?? "" }), gap);
  }

  /** Follow the feed until the returned function is called. */
  open(): () => void {
    return this.follow(this.campaign, () => true);
  }
}
