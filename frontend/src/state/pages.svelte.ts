import { RequestFailed } from "../wire/client";
import type { ErrorShape } from "../wire/generated";

/** One page of a keyset-paged list: `next` is where the following page begins, null at the end. */
export interface PageOf<Row> {
  rows: Row[];
  next: string | null;
}

/** A list that grows as it is scrolled: loads page after page by the server's cursor, never the same page twice at a time. */
export class Pages<Row extends { id: string }> {
  rows = $state.raw<readonly Row[]>([]);
  error = $state.raw<ErrorShape | null>(null);
  loading = $state(false);
  /** Whether the first page has been answered. */
  known = $state(false);
  private next: string | null = null;
  private generation = 0;

  constructor(private readonly load: (after: string | null) => Promise<PageOf<Row>>) {}

  get more(): boolean {
    return this.next !== null;
  }

  /** Begin again, such as after another filter was chosen; what is shown stays until the answer is there. */
  async again(): Promise<void> {
    this.generation += 1;
    this.loading = false;
    await this.take(null);
  }

  /** The following page, if there is one and none is under way. */
  async further(): Promise<void> {
    if (!this.loading && this.next !== null) await this.take(this.next);
  }

  /** Change the rows that are shown, such as by an event of the feed. */
  change(how: (row: Row) => Row): void {
    const after = this.rows.map(how);
    if (after.some((row, index) => row !== this.rows[index])) this.rows = after;
  }

  private async take(after: string | null): Promise<void> {
    const mine = this.generation;
    this.loading = true;
    try {
      const page = await this.load(after);
      if (mine !== this.generation) return;
      this.rows = after === null ? page.rows : [...this.rows, ...page.rows];
      this.next = page.next;
      this.known = true;
      this.error = null;
    } catch (error) {
      if (!(error instanceof RequestFailed)) throw error;
      if (mine === this.generation) this.error = error.shape;
    } finally {
      if (mine === this.generation) this.loading = false;
    }
  }
}
