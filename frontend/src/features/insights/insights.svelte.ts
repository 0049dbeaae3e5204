import { insightsRates, insightsView } from "../../lib/api/calls";
import type { InsightsView, Rates } from "../../lib/api/generated";
import { Query } from "../../lib/query/query.svelte";

const GAP = 1_000;
/** What events change a number that is shown. */
const COUNTED: ReadonlySet<string> = new Set(["lead", "action", "campaign"]);

/** A campaign's numbers, read again when something happened that they count. */
export class InsightsQuery extends Query<InsightsView> {
  /** The response rates by one field of the leads. */
  readonly rates: Query<Rates>;
  private field = "";

  constructor(private readonly campaign: string) {
    super(() => insightsView(campaign), GAP);
    this.rates = new Query(() => insightsRates(campaign, { field: this.field }));
  }

  /** Follow the feed until the returned function is called. */
  open(): () => void {
    return this.follow(this.campaign, (event) => COUNTED.has(event.entity));
  }

  /** Read the response rates by that field. */
  async readRates(field: string): Promise<void> {
    this.field = field;
    await this.rates.load();
  }
}
