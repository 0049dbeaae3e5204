import { rankingsPutBack, rankingsTakeBack, rankingsSave, rankingsView } from "../../lib/api/calls";
import type { RankingsView } from "../../lib/api/generated";
import { Query } from "../../lib/query/query.svelte";
import { arranged } from "./ranking";

const CONCERNS = new Set(["ranking", "scoring", "campaign", "import"]);

/** Orders that are not saved yet, by campaign and round: they outlive a look at another screen. */
const storedOrders: Record<string, readonly string[]> = {};

/** A campaign's rounds of people to put in order, live. */
export class RankingsQuery extends Query<RankingsView> {
  /** The people of this round as they stand now, the first one first. */
  order = $state.raw<readonly string[]>([]);

  constructor(readonly campaign: string) {
    super(() => rankingsView(campaign));
  }

  /** Follow the feed until the returned function is called. */
  open(): () => void {
    return this.follow(this.campaign, (event) => CONCERNS.has(event.entity));
  }

  put(order: readonly string[]): void {
    this.order = order;
    if (this.view !== null) storedOrders[this.key(this.view)] = order;
  }

  async save(): Promise<string> {
    const number = this.view?.number ?? 0;
    const { ranking_id } = await rankingsSave(this.campaign, { number, lead_ids: [...this.order] });
    await this.load();
    return ranking_id;
  }

  async count(ranking: string, counts: boolean): Promise<void> {
    await (counts ? rankingsPutBack : rankingsTakeBack)(this.campaign, ranking);
    await this.load();
  }

  protected override received(view: RankingsView): RankingsView {
    this.order = arranged(view.deal.map((lead) => lead.lead_id), storedOrders[this.key(view)] ?? []);
    return view;
  }

  private key(view: RankingsView): string {
    return `${this.campaign}:${view.number}`;
  }
}
