import { Refresher } from "../../state/refresher";
import { RequestFailed } from "../../wire/client";
import { timeline } from "../../wire/calls/timeline";
import type { LogQuery } from "../../wire/calls/timeline";
import type { ErrorShape, TimelinePage, TimelineRow } from "../../wire/generated";

/** So many more rows end a search; it goes on when they have been scrolled through. */
const ENOUGH = 30;
/** How many newer entries are shown above the one at which the log is opened. */
const ABOVE = 12;

/**
 * One log as it is looked at: older entries are loaded as one scrolls, newer ones arrive at the top. A search goes on from
 * answer to answer, each over a bounded part of the log, until it has found enough, reached the beginning or is stopped.
 */
export class Log {
  rows = $state.raw<readonly TimelineRow[]>([]);
  /** Newer entries that wait, because showing them would move what is being read. */
  waiting = $state.raw<readonly TimelineRow[]>([]);
  /** More have arrived than fit one answer: the log is to be opened anew. */
  overtaken = $state(false);
  error = $state.raw<ErrorShape | null>(null);
  known = $state(false);
  searching = $state(false);
  next = $state<number | null>(null);
  searched = $state.raw<{ seq: number; at: number | null }>({ seq: 0, at: null });
  /** Whether what arrives must wait. */
  held = false;
  private head = 0;
  private stopped = false;
  private readonly refresher = new Refresher(() => this.arrivals(), 200);

  constructor(
    private readonly campaign: string,
    private readonly asked: LogQuery,
    private readonly at: number | null,
  ) {
    void this.older();
  }

  /** Something was recorded. */
  heard(): void {
    if (this.at === null) this.refresher.ask();
  }

  /** What is shown may not be in the log any more. */
  anew(): void {
    if (this.at !== null) return;
    this.overtaken = true;
    if (!this.held) this.release();
  }

  close(): void {
    this.stopped = true;
    this.refresher.stop();
  }

  /** Load or search on. */
  async older(): Promise<void> {
    if (this.searching || this.stopped || (this.known && this.next === null)) return;
    this.searching = true;
    const before = this.rows.length;
    try {
      do {
        this.take(await timeline.page(this.campaign, this.asked, this.place()));
      } while (this.next !== null && this.rows.length - before < ENOUGH && !this.stopped && !document.hidden);
      this.error = null;
    } catch (error) {
      this.failed(error);
    } finally {
      this.searching = false;
    }
  }

  /** Show what has waited. */
  release(): void {
    if (this.overtaken) {
      this.rows = [];
      this.known = this.overtaken = false;
      this.head = 0;
      this.next = null;
      void this.older();
    } else {
      this.rows = [...this.waiting, ...this.rows];
    }
    this.waiting = [];
  }

  private place(): { before?: number } {
    if (this.next !== null) return { before: this.next };
    return this.at === null ? {} : { before: this.at + ABOVE };
  }

  private take(page: TimelinePage): void {
    if (!this.known) this.head = page.head;
    this.known = true;
    this.rows = [...this.rows, ...page.rows];
    this.next = page.next;
    this.searched = { seq: page.searched, at: page.searched_at };
  }

  private async arrivals(): Promise<void> {
    if (!this.known || this.overtaken) return;
    try {
      const page = await timeline.page(this.campaign, this.asked, { after: this.head });
      this.head = page.head;
      if (page.next !== null) this.overtaken = true;
      else if (page.rows.length > 0) this.waiting = [...page.rows, ...this.waiting];
      if (!this.held && (this.overtaken || this.waiting.length > 0)) this.release();
      this.error = null;
    } catch (error) {
      this.failed(error);
    }
  }

  private failed(error: unknown): void {
    if (!(error instanceof RequestFailed)) throw error;
    this.error = error.shape;
  }
}
