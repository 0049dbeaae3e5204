import { RequestFailed } from "../wire/client";
import type { ErrorShape } from "../wire/generated";
import { WINDOW, kept, nearest, windowsOf } from "./windows";

/** A stretch of a sorted list: its rows, where the next stretch begins, and how long the whole list is. */
export interface WindowOf<Row> {
  rows: Row[];
  next: string | null;
  total: number;
  more: boolean;
}

type Load<Row> = (after: string | null, skip: number, limit: number) => Promise<WindowOf<Row>>;

const MOST_WINDOWS = 60;
const AT_ONCE = 2;
const AGAIN_AFTER = 1_500;

/**
 * A list of any length that is read at any place: only the windows that are seen are asked for, each from the nearest cursor
 * that is known. What is shown stays until what replaces it is there.
 */
export class Windows<Row extends { id: string }> {
  total = $state(0);
  /** Whether there are more than the list can hold, such as of what a search found. */
  more = $state(false);
  /** Whether the first window has been answered. */
  known = $state(false);
  error = $state.raw<ErrorShape | null>(null);
  private version = $state(0);
  private rows = new Map<number, Row[]>();
  private cursors = new Map<number, string>();
  private readonly underWay = new Set<number>();
  private generation = 0;
  /** For each load under way, the changes that were heard since it began: what it brings may be older than they are. */
  private readonly meanwhile = new Set<((row: Row) => Row)[]>();
  private seen: [number, number] = [0, 0];

  constructor(private readonly load: Load<Row>) {}

  /** The row at this place, if it is there yet. */
  at(index: number): Row | undefined {
    void this.version;
    return this.rows.get(Math.floor(index / WINDOW) * WINDOW)?.[index % WINDOW];
  }

  /** Where a row is, among those that are loaded; -1 otherwise. */
  indexOf(id: string): number {
    void this.version;
    for (const [start, rows] of this.rows) {
      const found = rows.findIndex((row) => row.id === id);
      if (found >= 0) return start + found;
    }
    return -1;
  }

  /** These rows are seen now: fetch what is missing of them. */
  show(first: number, last: number): void {
    this.seen = [first, last];
    this.fetch();
  }

  /** The order or the filter is another one, or rows came and went: read what is seen again. */
  async again(): Promise<void> {
    const mine = ++this.generation;
    this.underWay.clear();
    const cursors = new Map<number, string>();
    const rows = new Map<number, Row[]>();
    const heard = this.hear();
    try {
      // A list that became shorter is read at its end, one of which nothing is known yet at its beginning.
      let total = Math.max(this.total, 1);
      let wanted = windowsOf(...this.seen, total);
      for (let n = 0; n < wanted.length; n += 1) {
        const start = wanted[n] ?? 0;
        const page = await this.ask(cursors, start);
        if (mine !== this.generation) return;
        if (page.total !== total) wanted = [...wanted.slice(0, n + 1), ...windowsOf(start + WINDOW, this.seen[1], page.total)];
        total = page.total;
        if (start < Math.max(total, 1)) this.keep(rows, cursors, start, page);
        this.more = page.more;
      }
      this.total = total;
      for (const [start, loaded] of rows) rows.set(start, changed(loaded, heard));
      this.rows = rows;
      this.cursors = cursors;
      this.known = true;
      this.error = null;
      this.version += 1;
      this.fetch();
    } catch (error) {
      if (mine === this.generation) this.failed(error);
    } finally {
      this.meanwhile.delete(heard);
    }
  }

  /** Change rows that are loaded or on their way, such as by an event of the feed. */
  change(how: (row: Row) => Row): void {
    for (const heard of this.meanwhile) heard.push(how);
    let different = false;
    for (const [start, rows] of this.rows) {
      const after = changed(rows, [how]);
      if (after.some((row, n) => row !== rows[n])) {
        this.rows.set(start, after);
        different = true;
      }
    }
    if (different) this.version += 1;
  }

  private hear(): ((row: Row) => Row)[] {
    const heard: ((row: Row) => Row)[] = [];
    this.meanwhile.add(heard);
    return heard;
  }

  private fetch(): void {
    for (const start of windowsOf(...this.seen, this.total)) {
      if (this.underWay.size >= AT_ONCE) return;
      if (!this.rows.has(start) && !this.underWay.has(start)) void this.take(start);
    }
  }

  private async take(start: number): Promise<void> {
    const mine = this.generation;
    this.underWay.add(start);
    const heard = this.hear();
    try {
      const page = await this.ask(this.cursors, start);
      if (mine !== this.generation) return;
      this.keep(this.rows, this.cursors, start, { ...page, rows: changed(page.rows, heard) });
      this.total = page.total;
      this.error = null;
      if (this.rows.size > MOST_WINDOWS) {
        const keeps = new Set(kept(this.rows.keys(), this.seen[0], MOST_WINDOWS));
        for (const at of [...this.rows.keys()]) if (!keeps.has(at)) this.rows.delete(at);
      }
      this.version += 1;
    } catch (error) {
      if (mine === this.generation) this.failed(error);
    } finally {
      this.meanwhile.delete(heard);
      if (mine === this.generation) {
        this.underWay.delete(start);
        if (this.error === null) this.fetch();
        else setTimeout(() => mine === this.generation && this.fetch(), AGAIN_AFTER);
      }
    }
  }

  private ask(cursors: ReadonlyMap<number, string>, start: number): Promise<WindowOf<Row>> {
    const { after, skip } = nearest(cursors, start);
    return this.load(after, skip, WINDOW);
  }

  private keep(rows: Map<number, Row[]>, cursors: Map<number, string>, start: number, page: WindowOf<Row>): void {
    rows.set(start, page.rows);
    if (page.next !== null && page.rows.length === WINDOW) cursors.set(start + WINDOW, page.next);
  }

  private failed(error: unknown): void {
    if (!(error instanceof RequestFailed)) throw error;
    this.error = error.shape;
  }
}

/** The rows after these changes, in their order. */
function changed<Row>(rows: readonly Row[], how: readonly ((row: Row) => Row)[]): Row[] {
  return rows.map((row) => how.reduce((now, change) => change(now), row));
}
