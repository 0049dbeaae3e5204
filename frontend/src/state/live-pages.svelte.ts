import type { FeedEvent } from "../wire/generated";
import { keepFresh } from "./fresh";
import { Pages } from "./pages.svelte";
import type { PageOf } from "./pages.svelte";
import { Refresher } from "./refresher";

const PAGE = 50;
const MOST = 200;
const GAP = 400;

/** A keyset-paged list that follows the feed: what is shown is asked for again when something of it may have changed. */
export class LivePages<Row extends { id: string }> {
  readonly pages: Pages<Row> = new Pages((after) => this.load(after, after === null ? this.size() : PAGE));
  private readonly refresher = new Refresher(() => this.pages.again(), GAP);

  constructor(private readonly load: (after: string | null, limit: number) => Promise<PageOf<Row>>) {}

  /** Follow a campaign's feed until the returned function is called; `concerns` tells which events are worth a look. */
  open(campaign: string, concerns: (event: FeedEvent) => boolean): () => void {
    return keepFresh(campaign, this.refresher, concerns);
  }

  again(): void {
    this.refresher.ask();
  }

  /** As many rows as are shown, so that a look again does not shorten the list under the reader. */
  private size(): number {
    return Math.min(Math.max(this.pages.rows.length, PAGE), MOST);
  }
}
