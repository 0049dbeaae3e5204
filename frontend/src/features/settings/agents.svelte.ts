import { agentsCancel, agentsRun, agentsView } from "../../lib/api/calls";
import type { AgentRunRow, AgentsView, RunAgent } from "../../lib/api/generated";
import { Action } from "../../lib/query/action.svelte";
import { Query } from "../../lib/query/query.svelte";
import { toasts } from "../../lib/state/toasts.svelte";

const POLL_EVERY = 300;

/** The passive agents and their runs, followed while one is under way. */
export class Agents extends Query<AgentsView> {
  readonly starting = new Action();
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    super(agentsView);
  }

  /** The run that is under way. */
  get current(): AgentRunRow | null {
    const latest = this.view?.runs[0];
    return latest && latest.ended_at === null ? latest : null;
  }

  async start(wanted: RunAgent): Promise<boolean> {
    const begun = await this.starting.run(() => agentsRun(wanted));
    await this.load();
    return begun;
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
