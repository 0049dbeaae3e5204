import { api, RequestFailed } from "../wire/client";
import type { FeedEvent, RunState, SessionView } from "../wire/generated";
import { LiveFeed } from "../wire/live";
import { inWindow, keepToken, tokenFromWindow } from "../wire/token";
import { presenceAgain, watchPresence } from "./presence";

type Interest = { event(event: FeedEvent): void; reload(campaign: string | null): void };

const IDLE: RunState = { phase: "idle", campaign_id: null, name: "", asleep: null, away_since: null, halt: null, because: [], error: null };

/** The page's connection to this launch of Outrider: first the token, then the live feed; and what runs. */
class App {
  phase = $state<"connecting" | "pairing" | "open" | "over">("connecting");
  connected = $state(false);
  session = $state.raw<SessionView | null>(null);
  run = $state.raw<RunState>(IDLE);
  /** How many steps of the turn in flight are behind it. */
  closedSteps = $state(0);

  /** The user wants to close the window while a campaign runs, and is asked whether it may stop. */
  closing = $state(false);

  readonly feed = new LiveFeed({
    connected: (is) => (this.connected = is),
    refused: () => (this.phase = inWindow() ? "over" : "pairing"),
    event: (event) => this.each((one) => one.event(event)),
    reload: (campaign) => {
      if (campaign === null) presenceAgain();
      this.each((one) => one.reload(campaign));
    },
    step: (ticker) => (this.closedSteps = ticker.step),
    run: (state) => {
      const turned = (state.away_since === null) !== (this.run.away_since === null);
      this.run = state;
      if (turned) this.each((one) => one.reload(null)); // the gates that are shown have changed without an event
    },
    closing: () => (this.closing = true),
  });
  private readonly interested = new Set<Interest>();
  private watching = false;

  async begin(): Promise<void> {
    if (!inWindow()) {
      this.phase = "pairing";
      return;
    }
    keepToken(await tokenFromWindow());
    await this.enter();
  }

  /** Exchange the terminal's code for the token. Raises RequestFailed. */
  async pair(code: string): Promise<void> {
    keepToken((await api.pair(code)).token);
    await this.enter();
  }

  /** Hear of what changes until the returned function is called. */
  follow(interest: Interest): () => void {
    this.interested.add(interest);
    return () => this.interested.delete(interest);
  }

  private async enter(): Promise<void> {
    try {
      this.session = await api.session();
    } catch (error) {
      if (error instanceof RequestFailed && error.status === 401) this.phase = "over";
      throw error;
    }
    this.run = this.session.run;
    this.phase = "open";
    if (!this.watching) {
      this.watching = true;
      watchPresence();
    }
    this.feed.open();
  }

  private each(tell: (one: Interest) => void): void {
    for (const one of this.interested) tell(one);
  }
}

export const app = new App();
