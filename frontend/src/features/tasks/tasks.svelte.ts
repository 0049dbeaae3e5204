import { tasksAddCommitment, tasksApproveCommand, tasksCancel, tasksList, tasksRetry, tasksRemoveCommitment, tasksView, turnsList } from "../../lib/api/calls";
import { failureOf } from "../../lib/api/errors";
import type { FeedEvent, TaskDetail, TaskPage, TaskRow, TaskStatus, TurnLine } from "../../lib/api/generated";
import { PagedQuery } from "../../lib/query/pagedQuery.svelte";
import { Query } from "../../lib/query/query.svelte";
import { toasts } from "../../lib/app/toasts.svelte";
import type { Promised } from "./condition";
import { foldTask } from "./foldTask";

const FIRST_PAGE = 100;
const LIST_GAP = 100;
const TASK_GAP = 150;
const SHOWN = new Set(["task", "commitment", "input_request", "campaign"]);

/** The list of tasks, live: rows change in place; a list that was scrolled is not read again as a whole. */
export class TaskList extends PagedQuery<TaskRow> {
  /** What is said of all tasks. */
  summary = $state.raw<Omit<TaskPage, "rows" | "next"> | null>(null);

  constructor(
    readonly campaign: string,
    readonly status: TaskStatus | null,
  ) {
    super((after) => this.page(after), LIST_GAP);
  }

  /** Follow the feed until the returned function is called. */
  open(): () => void {
    return this.follow(this.campaign, (event) => {
      this.update((row) => foldTask(row, event));
      return SHOWN.has(event.entity);
    });
  }

  override async load(): Promise<void> {
    if (this.rows.length <= FIRST_PAGE) await super.load();
    // What could not be read is asked for again with the next event.
    else await failureOf(() => this.page(null));
  }

  private async page(after: string | null): Promise<TaskPage> {
    const page = await tasksList(this.campaign, { status: this.status, after });
    this.summary = page;
    return page;
  }
}

/** One task with its texts and its turns, read again when something of it changed. */
export class TaskQuery extends Query<TaskDetail> {
  turns = $state.raw<readonly TurnLine[]>([]);
  /** Where the search for its turns goes on; null at the beginning of the campaign. */
  nextTurns = $state.raw<string | null>(null);

  constructor(
    readonly campaign: string,
    readonly id: string,
  ) {
    super(() => this.readAll(), TASK_GAP);
  }

  /** Follow the feed until the returned function is called. */
  open(): () => void {
    return this.follow(this.campaign, (event) => this.isConcernedBy(event));
  }

  /** A blocked task is not to be done. */
  async cancel(): Promise<void> {
    await this.decide(() => tasksCancel(this.campaign, this.id, { shown_blocked: true }));
  }

  /** A blocked or cancelled task is tried again. */
  async retry(): Promise<void> {
    await this.decide(() => tasksRetry(this.campaign, this.id));
  }

  /** A command of a condition may be started on this computer. */
  async approveCommand(commitment: string, argv: readonly string[]): Promise<void> {
    await this.decide(() => tasksApproveCommand(this.campaign, this.id, commitment, { approved_argv: [...argv] }));
  }

  /** The task is done only if this is so, too; whether it was added. */
  async addCondition(promise: Promised, argv: readonly string[]): Promise<boolean> {
    let added = false;
    await this.decide(async () => {
      await tasksAddCommitment(this.campaign, this.id, { promise, approved_argv: argv.length > 0 ? [...argv] : null });
      added = true;
    });
    return added;
  }

  /** The task may be done without a condition that the user had added. */
  async removeCondition(commitment: string, added: Promised): Promise<void> {
    await this.decide(async () => {
      await tasksRemoveCommitment(this.campaign, this.id, commitment);
      const argv = added.type === "command" ? added.argv : [];
      toasts.info("Condition removed.", { label: "Undo", run: () => void this.addCondition(added, argv) });
    });
  }

  private async decide(tell: () => Promise<unknown>): Promise<void> {
    await this.during(() => toasts.attempt(tell));
    this.refresh();
  }

  /** Look for turns further back. Raises RequestFailed. */
  async readOlderTurns(): Promise<void> {
    if (this.nextTurns === null) return;
    const page = await turnsList(this.campaign, { after: this.nextTurns, task: this.id });
    this.turns = [...this.turns, ...page.rows];
    this.nextTurns = page.next;
  }

  private isConcernedBy(event: FeedEvent): boolean {
    const isAbout = event.entity_id === this.id || event.changes?.["task_id"] === this.id;
    return isAbout || ["commitment", "message", "input_request"].includes(event.entity);
  }

  private async readAll(): Promise<TaskDetail> {
    const [detail, page] = await Promise.all([
      tasksView(this.campaign, this.id),
      turnsList(this.campaign, { task: this.id }),
    ]);
    this.turns = page.rows;
    this.nextTurns = page.next;
    return detail;
  }
}
