import { foldTask } from "../../state/fold";
import { keepFresh } from "../../state/fresh";
import { Pages } from "../../state/pages.svelte";
import { Refresher } from "../../state/refresher";
import { runs } from "../../wire/calls/runs";
import { tasks } from "../../wire/calls/tasks";
import { RequestFailed } from "../../wire/client";
import type { ErrorShape, FeedEvent, TaskDetail, TaskPage, TaskRow, TaskStatus, TurnLine } from "../../wire/generated";

const FIRST = 100;
const SHOWN = new Set(["task", "commitment", "input_request"]);

/** The list of tasks, live: rows change where they stand; the first page is asked for again while nothing further is loaded. */
export class TaskList {
  about = $state.raw<Omit<TaskPage, "rows" | "next"> | null>(null);
  readonly pages: Pages<TaskRow>;
  private readonly refresher = new Refresher(() => this.refresh(), 100);

  constructor(readonly campaign: string, readonly status: TaskStatus | null) {
    this.pages = new Pages((after) => this.page(after));
  }

  /** Follow the feed until the returned function is called. */
  open(): () => void {
    return keepFresh(this.campaign, this.refresher, (event) => {
      this.pages.change((row) => foldTask(row, event));
      return SHOWN.has(event.entity) || event.entity === "campaign";
    });
  }

  private async refresh(): Promise<void> {
    if (this.pages.rows.length <= FIRST) await this.pages.again();
    else await this.page(null).catch(ignoreFailure);
  }

  private async page(after: string | null): Promise<TaskPage> {
    const page = await tasks.page(this.campaign, this.status, after);
    this.about = page;
    return page;
  }
}

/** One task with its texts and its turns, loaded again when something of it changed. */
export class OneTask {
  detail = $state.raw<TaskDetail | null>(null);
  error = $state.raw<ErrorShape | null>(null);
  turns = $state.raw<readonly TurnLine[]>([]);
  /** Where the search for its turns goes on; null at the beginning of the campaign. */
  further = $state.raw<number | null>(null);
  private readonly refresher = new Refresher(() => this.load(), 150);

  constructor(readonly campaign: string, readonly id: string) {}

  open(): () => void {
    return keepFresh(this.campaign, this.refresher, (event) => this.concerns(event));
  }

  /** Look for turns further back. */
  async older(): Promise<void> {
    if (this.further === null) return;
    const page = await runs.turns(this.campaign, this.further, this.id);
    this.turns = [...this.turns, ...page.rows];
    this.further = page.next;
  }

  private concerns(event: FeedEvent): boolean {
    const about = event.changes?.["task_id"];
    return event.entity_id === this.id || about === this.id || event.entity === "commitment" || event.entity === "message" || event.entity === "input_request";
  }

  private async load(): Promise<void> {
    try {
      const [detail, page] = await Promise.all([tasks.one(this.campaign, this.id), runs.turns(this.campaign, null, this.id)]);
      this.detail = detail;
      this.turns = page.rows;
      this.further = page.next;
      this.error = null;
    } catch (error) {
      if (!(error instanceof RequestFailed)) throw error;
      this.error = error.shape;
    }
  }
}

function ignoreFailure(error: unknown): void {
  // The list shows its own failures; what could not be refreshed is asked for again with the next event.
  if (!(error instanceof RequestFailed)) throw error;
}
