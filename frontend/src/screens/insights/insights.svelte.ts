import { keepFresh } from "../../state/fresh";
import { Refresher } from "../../state/refresher";
import { insights } from "../../wire/calls/insights";
import { RequestFailed } from "../../wire/client";
import type { ErrorShape, InsightsView, Rates } from "../../wire/generated";

/** What events change a number that is shown. */
const COUNTED: ReadonlySet<string> = new Set(["lead", "action", "campaign"]);

/** A campaign's insights, loaded again when something happened that they count. */
export class Insights {
  view = $state.raw<InsightsView | null>(null);
  rates = $state.raw<Rates | null>(null);
  error = $state.raw<ErrorShape | null>(null);
  private field = "";
  private readonly refresher = new Refresher(() => this.load(), 1_000);

  constructor(private readonly campaign: string) {}

  /** Follow the feed until the returned function is called. */
  open(): () => void {
    return keepFresh(this.campaign, this.refresher, (event) => COUNTED.has(event.entity));
  }

  /** Load the response rates by that field. */
  async by(field: string): Promise<void> {
    this.field = field;
    await this.attempt(async () => {
      const rates = await insights.rates(this.campaign, field);
      if (field === this.field) this.rates = rates;
    });
  }

  async load(): Promise<void> {
    await this.attempt(async () => {
      this.view = await insights.view(this.campaign);
    });
  }

  private async attempt(what: () => Promise<void>): Promise<void> {
    try {
      await what();
      this.error = null;
    } catch (error) {
      if (!(error instanceof RequestFailed)) throw error;
      this.error = error.shape;
    }
  }
}
