import { session } from "../wire/calls/session";
import { RequestFailed } from "../wire/client";
import type { FeedEvent, ImportProgress, RunState, SessionView } from "../wire/generated";
import { LiveFeed } from "../wire/live";
import { inWindow, keepToken, tokenFromWindow } from "../wire/token";
import { watchPresence } from "./presence";

type Interest = { event(event: FeedEvent): void; reload(campaign: string | null): void };

const LOST_AFTER = 1_500;
const IDLE: RunState = { phase: "idle", campaign_id: null, asleep: null, halt: null, because: [], error: null };

/** The page's connection to this launch of Outrider: first the token, then the live feed; and what runs. */
class App {
  phase = $state<"connecting" | "pairing" | "open" | "over">("connecting");
  connected = $state(false);
  /** Whether the connection was lost long enough to say so; a short interruption is not worth a banner. */
  lost = $state(false);
  session = $state.raw<SessionView | null>(null);
  run = $state.raw<RunState>(IDLE);
  /** The import of a lead file that is under way, or that ended last. */
  importing = $state.raw<ImportProgress | null>(null);
  /** How many steps of the turn in flight are behind it. */
  closedSteps = $state(0);

  readonly feed = new LiveFeed({
    connected: (is) => this.heard(is),
    refused: () => (this.phase = inWindow() ? "over" : "pairing"),
    event: (event) => this.each((one) => one.event(event)),
    reload: (campaign) => this.each((one) => one.reload(campaign)),
    step: (ticker) => (this.closedSteps = ticker.step),
    run: (state) => (this.run = state),
    importing: (progress) => (this.importing = progress),
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
    keepToken((await session.pair(code)).token);
    await this.enter();
  }

  /** Hear of what changes until the returned function is called. */
  follow(interest: Interest): () => void {
    this.interested.add(interest);
    return () => this.interested.delete(interest);
  }

  private heard(is: boolean): void {
    if (is) this.lost = false;
    else if (this.connected) setTimeout(() => (this.lost = !this.connected), LOST_AFTER);
    this.connected = is;
  }

  private async enter(): Promise<void> {
    try {
      this.session = await session.view();
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
