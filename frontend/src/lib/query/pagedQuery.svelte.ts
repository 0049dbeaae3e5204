import { errorShapeOf } from "../api/errors";
import { Refreshable } from "./refreshable.svelte";

/** One page of a list: `next` is where the following page begins, null at the end. */
export interface PageOf<Row> {
  rows: Row[];
  next: string | null;
}

type Read<Row> = (after: string | null, limit: number) => Promise<PageOf<Row>>;

const PAGE = 50;
const LARGEST_PAGE = 200;
/** A list is read again up to here: one that was scrolled farther becomes shorter. */
const MOST_READ_AGAIN = 1_000;

/** A list that grows as it is scrolled: page after page by the server's cursor, never the same page twice at a time. */
export class PagedQuery<Row extends { id: string }> extends Refreshable {
  rows = $state.raw<readonly Row[]>([]);
  loading = $state(false);
  /** Whether the first page has been answered. */
  loaded = $state(false);
  private next = $state.raw<string | null>(null);
  private latest = 0;

  /** `read` is given how many rows are wanted; an endpoint with pages of its own size may ignore it. */
  constructor(
    private readonly read: Read<Row>,
    gap?: number,
  ) {
    super(gap);
  }

  get hasMore(): boolean {
    return this.next !== null;
  }

  /** Read as many rows as are shown, so that the list does not become shorter under the reader. */
  override load(): Promise<void> {
    return this.readFromStart(Math.min(this.rows.length, MOST_READ_AGAIN));
  }

  /** Something else is asked for, such as by another filter: begin with the first page. */
  restart(): Promise<void> {
    return this.readFromStart(0);
  }

  /** The following page, if there is one and none is under way. */
  async loadMore(): Promise<void> {
    const after = this.next;
    if (this.loading || after === null) return;
    await this.reading(async (isLatest) => {
      const page = await this.read(after, PAGE);
      if (isLatest()) this.show([...this.rows, ...page.rows], page.next);
    });
  }

  /** Change the rows that are shown, such as by an event of the feed. */
  update(change: (row: Row) => Row): void {
    const after = this.rows.map(change);
    if (after.some((row, index) => row !== this.rows[index])) this.rows = after;
  }

  private async readFromStart(least: number): Promise<void> {
    this.latest += 1;
    await this.reading(async (isLatest) => {
      const limit = Math.min(Math.max(least, PAGE), LARGEST_PAGE);
      let page = await this.read(null, limit);
      const rows = [...page.rows];
      while (rows.length < least && page.next !== null && isLatest()) {
        page = await this.read(page.next, limit);
        rows.push(...page.rows);
      }
      if (isLatest()) this.show(rows, page.next);
    });
  }

  private show(rows: readonly Row[], next: string | null): void {
    this.rows = rows;
    this.next = next;
    this.loaded = true;
    this.error = null;
  }

  /** Do this reading; what it brings counts only if none began after it. */
  private async reading(work: (isLatest: () => boolean) => Promise<void>): Promise<void> {
    const requestNumber = this.latest;
    const isLatest = () => requestNumber === this.latest;
    this.loading = true;
    try {
      await work(isLatest);
    } catch (thrown) {
      const error = errorShapeOf(thrown);
      if (isLatest()) this.error = error;
    } finally {
      if (isLatest()) this.loading = false;
    }
  }
}
