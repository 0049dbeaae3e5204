import { dryRunsCancel, dryRunsStart, dryRunsView } from "../api/calls";
import { failureOf } from "../api/errors";
import type { DryRunView, DryRunWanted, ErrorShape } from "../api/generated";

const ASK_AGAIN = 400;

/** A campaign's dry run: asked about while it is worked out, and shown until the next. */
export class DryRun {
  view = $state.raw<DryRunView | null>(null);
  error = $state.raw<ErrorShape | null>(null);
  private timer = 0;

  constructor(private readonly campaign: string) {}

  /** Follow it until the returned function is called. */
  open(): () => void {
    void this.look();
    return () => clearTimeout(this.timer);
  }

  async start(request: DryRunWanted): Promise<void> {
    this.error = await failureOf(() => dryRunsStart(this.campaign, request));
    if (this.error === null) await this.look();
  }

  async cancel(): Promise<void> {
    this.error = await failureOf(() => dryRunsCancel(this.campaign));
    await this.look();
  }

  private async look(): Promise<void> {
    clearTimeout(this.timer);
    const failed = await failureOf(async () => {
      this.view = await dryRunsView(this.campaign);
    });
    this.error = failed ?? this.error;
    if (failed === null && this.view?.phase === "running") this.timer = window.setTimeout(() => void this.look(), ASK_AGAIN);
  }
}
