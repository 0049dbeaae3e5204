import { RequestFailed } from "../../wire/client";
import { timeline } from "../../wire/calls/timeline";
import type { ErrorShape, PastMoment } from "../../wire/generated";

const LOOK_AGAIN = 200;

/** The campaign as it was after an event; while the server is on its way there, how far it is. */
export class Moment {
  /** What was asked for last; its `view` is null while it is on its way. */
  asked = $state.raw<PastMoment | null>(null);
  /** The last moment that arrived: it stays on the screen until the next one does. */
  shown = $state.raw<PastMoment | null>(null);
  error = $state.raw<ErrorShape | null>(null);
  private timer: ReturnType<typeof setTimeout> | undefined;
  private seq = 0;

  constructor(private readonly campaign: string) {}

  async go(seq: number): Promise<void> {
    clearTimeout(this.timer);
    this.seq = seq;
    try {
      const found = await timeline.moment(this.campaign, seq);
      if (seq !== this.seq) return; // another moment was asked for meanwhile
      this.asked = found;
      this.error = null;
      if (found.view) this.shown = found;
      else this.timer = setTimeout(() => void this.go(seq), LOOK_AGAIN);
    } catch (error) {
      if (!(error instanceof RequestFailed)) throw error;
      if (seq === this.seq) this.error = error.shape;
    }
  }

  close(): void {
    this.seq = 0;
    clearTimeout(this.timer);
  }
}
