import { errorShapeOf } from "../../lib/api/errors";
import type { ErrorShape } from "../../lib/api/generated";
import { PAGE, nearestCursor, pagesOf, pagesToKeep } from "./sparseList";

/** A page of a sorted list: its rows, where the next page begins, and how long the whole list is. */
export interface SparsePage<Row> {
  rows: Row[];
  next: string | null;
  total: number;
  more: boolean;
}

type Update<Row> = (row: Row) => Row;
type Read<Row> = (after: string | null, skip: number, limit: number) => Promise<SparsePage<Row>>;

const MOST_PAGES = 60;
const AT_ONCE = 2;
const AGAIN_AFTER = 1_500;

/**
 * A list of any length that is read at any place: only the pages that are seen are asked for, each from the nearest cursor
 * that is known. What is shown stays until what replaces it is there.
 */
export class SparseList<Row extends { id: string }> {
  total = $state(0);
  /** Whether there are more than the list can hold, such as of what a search found. */
  truncated = $state(false);
  /** Whether the first page has been answered. */
  loaded = $state(false);
  error = $state.raw<ErrorShape | null>(null);
  private version = $state(0);
  private rows = new Map<number, Row[]>();
  private cursors = new Map<number, string>();
  private readonly underWay = new Set<number>();
  private generation = 0;
  /** For each load under way, the updates since it began: what it brings may be older than they are. */
  private readonly updatesDuringLoads = new Set<Update<Row>[]>();
  private seen: [number, number] = [0, 0];

  constructor(private readonly read: Read<Row>) {}

  /** The row at this place, if it is there yet. */
  at(index: number): Row | undefined {
    void this.version;
    return this.rows.get(Math.floor(index / PAGE) * PAGE)?.[index % PAGE];
  }

  /** Where a row is, among those that are loaded; -1 otherwise. */
  indexOf(id: string): number {
    void this.version;
    for (const [start, rows] of this.rows) {
      const index = rows.findIndex((row) => row.id === id);
      if (index >= 0) return start + index;
    }
    return -1;
  }

  /** These rows are seen now: fetch what is missing of them. */
  show(first: number, last: number): void {
    this.seen = [first, last];
    this.fetch();
  }

  /** The order or the filter is another one, or rows came and went: read what is seen again. */
  async load(): Promise<void> {
    const generation = ++this.generation;
    this.underWay.clear();
    const cursors = new Map<number, string>();
    const rows = new Map<number, Row[]>();
    const updates = this.collectUpdates();
    try {
      // A list that became shorter is read at its end, one of which nothing is known yet at its beginning.
      let total = Math.max(this.total, 1);
      let starts = pagesOf(...this.seen, total);
      for (let n = 0; n < starts.length; n += 1) {
        const start = starts[n] ?? 0;
        const page = await this.ask(cursors, start);
        if (generation !== this.generation) return;
        if (page.total !== total)
          starts = [...starts.slice(0, n + 1), ...pagesOf(start + PAGE, this.seen[1], page.total)];
        total = page.total;
        if (start < Math.max(total, 1)) this.keep(rows, cursors, start, page);
        this.truncated = page.more;
      }
      this.total = total;
      for (const [start, loaded] of rows) rows.set(start, updated(loaded, updates));
      this.rows = rows;
      this.cursors = cursors;
      this.loaded = true;
      this.error = null;
      this.version += 1;
      this.fetch();
    } catch (error) {
      if (generation === this.generation) this.failed(error);
    } finally {
      this.updatesDuringLoads.delete(updates);
    }
  }

  /** Change rows that are loaded or on their way, such as by an event of the feed. */
  update(change: Update<Row>): void {
    for (const updates of this.updatesDuringLoads) updates.push(change);
    let different = false;
    for (const [start, rows] of this.rows) {
      const after = updated(rows, [change]);
      if (after.some((row, n) => row !== rows[n])) {
        this.rows.set(start, after);
        different = true;
      }
    }
    if (different) this.version += 1;
  }

  private collectUpdates(): Update<Row>[] {
    const updates: Update<Row>[] = [];
    this.updatesDuringLoads.add(updates);
    return updates;
  }

  private fetch(): void {
    for (const start of pagesOf(...this.seen, this.total)) {
      if (this.underWay.size >= AT_ONCE) return;
      if (!this.rows.has(start) && !this.underWay.has(start)) void this.take(start);
    }
  }

  private async take(start: number): Promise<void> {
    const generation = this.generation;
    this.underWay.add(start);
    const updates = this.collectUpdates();
    try {
      const page = await this.ask(this.cursors, start);
      if (generation !== this.generation) return;
      this.keep(this.rows, this.cursors, start, { ...page, rows: updated(page.rows, updates) });
      this.total = page.total;
      this.error = null;
      if (this.rows.size > MOST_PAGES) {
        const keeps = new Set(pagesToKeep(this.rows.keys(), this.seen[0], MOST_PAGES));
        for (const at of [...this.rows.keys()]) if (!keeps.has(at)) this.rows.delete(at);
      }
      this.version += 1;
    } catch (error) {
      if (generation === this.generation) this.failed(error);
    } finally {
      this.updatesDuringLoads.delete(updates);
      if (generation === this.generation) {
        this.underWay.delete(start);
        if (this.error === null) this.fetch();
        else setTimeout(() => generation === this.generation && this.fetch(), AGAIN_AFTER);
      }
    }
  }

  private ask(cursors: ReadonlyMap<number, string>, start: number): Promise<SparsePage<Row>> {
    const { after, skip } = nearestCursor(cursors, start);
    return this.read(after, skip, PAGE);
  }

  private keep(rows: Map<number, Row[]>, cursors: Map<number, string>, start: number, page: SparsePage<Row>): void {
    rows.set(start, page.rows);
    if (page.next !== null && page.rows.length === PAGE) cursors.set(start + PAGE, page.next);
  }

  private failed(error: unknown): void {
    this.error = errorShapeOf(error);
  }
}

/** The rows after these updates, in their order. */
function updated<Row>(rows: readonly Row[], updates: readonly Update<Row>[]): Row[] {
  return rows.map((row) => updates.reduce((now, change) => change(now), row));
}
