import { pastView } from "../../lib/api/calls";
import type { PastMoment } from "../../lib/api/generated";
import { Query } from "../../lib/query/query.svelte";

const POLL_EVERY = 200;

/** The campaign as it was after an event; while the server replays the log up to there, how far it is. */
export class PastMomentQuery extends Query<PastMoment> {
  /** The last moment that arrived: it stays on the screen until the next one does. */
  shown = $state.raw<PastMoment | null>(null);
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly campaign: string) {
    super(() => Promise.reject(new Error("no moment is asked for yet")));
  }

  go(seq: number): void {
    void this.ask(() => pastView(this.campaign, seq));
  }

  override async load(): Promise<void> {
    clearTimeout(this.timer);
    await super.load();
  }

  close(): void {
    clearTimeout(this.timer);
    this.set(null);
  }

  protected override received(moment: PastMoment): PastMoment {
    if (moment.view) this.shown = moment;
    else this.timer = setTimeout(() => void this.load(), POLL_EVERY);
    return moment;
  }
}
