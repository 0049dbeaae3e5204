import { Refresher } from "../../lib/query/refresher";
import { errorShapeOf } from "../../lib/api/errors";
import { timelineList } from "../../lib/api/calls";
import type { LogQuery } from "./address";
import type { ErrorShape, TimelinePage, TimelineRow } from "../../lib/api/generated";

/** So many more rows end a search; it goes on when they have been scrolled through. */
const ENOUGH = 30;
/** How many newer entries are shown above the one at which the log is opened. */
const ABOVE = 12;

/**
 * One log as it is looked at: older entries are loaded as one scrolls, newer ones arrive at the top. A search goes on from
 * answer to answer, each over a bounded part of the log, until it has found enough, reached the beginning or is stopped.
 */
export class LogEntries {
  rows = $state.raw<readonly TimelineRow[]>([]);
  /** Newer entries that are not shown yet, because showing them would move what is being read. */
  newer = $state.raw<readonly TimelineRow[]>([]);
  /** More have arrived than fit one answer: the log has to be read from its newest entry again. */
  outdated = $state(false);
  error = $state.raw<ErrorShape | null>(null);
  loaded = $state(false);
  searching = $state(false);
  next = $state<number | null>(null);
  searched = $state.raw<{ seq: number; at: number | null }>({ seq: 0, at: null });
  /** Whether newer entries are not to be shown now. */
  paused = false;
  private head = 0;
  private stopped = false;
  private readonly refresher = new Refresher(() => this.readNewer(), 200);

  constructor(
    private readonly campaign: string,
    private readonly asked: LogQuery,
    private readonly at: number | null,
  ) {
    void this.older();
  }

  /** Something was recorded. */
  onEvent(): void {
    if (this.at === null) this.refresher.ask();
  }

  /** What is shown may not be in the log any more. */
  onMissed(): void {
    if (this.at !== null) return;
    this.outdated = true;
    if (!this.paused) this.showNewer();
  }

  close(): void {
    this.stopped = true;
    this.refresher.stop();
  }

  /** Load or search on. */
  async older(): Promise<void> {
    if (this.searching || this.stopped || (this.loaded && this.next === null)) return;
    this.searching = true;
    const before = this.rows.length;
    try {
      do {
        this.take(await timelineList(this.campaign, { ...this.asked, ...this.place() }));
      } while (this.next !== null && this.rows.length - before < ENOUGH && !this.stopped && !document.hidden);
      this.error = null;
    } catch (error) {
      this.failed(error);
    } finally {
      this.searching = false;
    }
  }

  /** Show the newer entries. */
  showNewer(): void {
    if (this.outdated) {
      this.rows = [];
      this.loaded = this.outdated = false;
      this.head = 0;
      this.next = null;
      void this.older();
    } else {
      this.rows = [...this.newer, ...this.rows];
    }
    this.newer = [];
  }

  private place(): { before?: number } {
    if (this.next !== null) return { before: this.next };
    return this.at === null ? {} : { before: this.at + ABOVE };
  }

  private take(page: TimelinePage): void {
    if (!this.loaded) this.head = page.head;
    this.loaded = true;
    this.rows = [...this.rows, ...page.rows];
    this.next = page.next;
    this.searched = { seq: page.searched, at: page.searched_at };
  }

  private async readNewer(): Promise<void> {
    if (!this.loaded || this.outdated) return;
    try {
      const page = await timelineList(this.campaign, { ...this.asked, after: this.head });
      this.head = page.head;
      if (page.next !== null) this.outdated = true;
      else if (page.rows.length > 0) this.newer = [...page.rows, ...this.newer];
      if (!this.paused && (this.outdated || this.newer.length > 0)) this.showNewer();
      this.error = null;
    } catch (error) {
      this.failed(error);
    }
  }

  private failed(error: unknown): void {
    this.error = errorShapeOf(error);
  }
}
