import { agentsAssign, agentsCancel, agentsRun, agentsView } from "../../../lib/api/calls";
import type { AgentRunRow, AgentsView, AssignAgent, RunAgent } from "../../../lib/api/generated";
import { Action } from "../../../lib/query/action.svelte";
import { Query } from "../../../lib/query/query.svelte";
import { toasts } from "../../../lib/app/toasts.svelte";

const POLL_EVERY = 300;

/** The passive agents and their runs, followed while one is under way. */
export class Agents extends Query<AgentsView> {
  readonly starting = new Action();
  /** The task that the latest run of this form became. */
  assigned = $state.raw<{ campaign: string; task: string } | null>(null);
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    super(agentsView);
  }

  /** The run that is under way. */
  get current(): AgentRunRow | null {
    const latest = this.view?.runs[0];
    return latest && latest.ended_at === null ? latest : null;
  }

  async start(request: RunAgent): Promise<boolean> {
    this.assigned = null;
    const begun = await this.starting.run(() => agentsRun(request));
    await this.load();
    return begun;
  }

  /** Have it run as a task of a campaign, where its progress and its result are. */
  async assign(request: AssignAgent): Promise<boolean> {
    this.assigned = null;
    return this.starting.run(async () => {
      const made = await agentsAssign(request);
      this.assigned = { campaign: request.campaign_id, task: made.task_id };
    });
  }

  async cancel(): Promise<void> {
    await toasts.attempt(agentsCancel);
    await this.load();
  }

  override stop(): void {
    clearTimeout(this.timer);
    super.stop();
  }

  protected override received(view: AgentsView): AgentsView {
    clearTimeout(this.timer);
    if (view.runs[0]?.ended_at === null) this.timer = setTimeout(() => void this.load(), POLL_EVERY);
    return view;
  }
}
