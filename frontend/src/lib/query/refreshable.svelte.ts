import { untrack } from "svelte";
import type { ErrorShape, FeedEvent } from "../api/generated";
import { followStream } from "../live/follow";
import { Refresher } from "./refresher";

const USUAL_GAP = 300;

/** Something that is read from the server, and read again when it may have changed. */
export abstract class Refreshable {
  error = $state.raw<ErrorShape | null>(null);
  private readonly refresher: Refresher;

  /** `gap` is the pause between two refreshes, in milliseconds. */
  constructor(gap = USUAL_GAP) {
    this.refresher = new Refresher(() => this.load(), gap);
  }

  /** Read it now; what is shown stays until the answer is there. */
  abstract load(): Promise<void>;

  /** Read it soon: refreshes that are asked for in quick succession become one. */
  refresh(): void {
    untrack(() => this.refresher.ask());
  }

  stop(): void {
    this.refresher.stop();
  }

  /**
   * Refresh now, and whenever something happened in the stream that `onEvent` says may have changed it, until the returned
   * function is called. `onMissed` is told first when events were missed.
   */
  follow(
    stream: string | null,
    onEvent: (event: FeedEvent) => boolean,
    onMissed: () => void = () => undefined,
  ): () => void {
    const leave = followStream(stream, {
      event: (event) => {
        if (onEvent(event)) this.refresh();
      },
      reload: () => {
        onMissed();
        this.refresh();
      },
    });
    this.refresher.start();
    this.refresh();
    return () => {
      leave();
      this.stop();
    };
  }
}
