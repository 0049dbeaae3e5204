import { session } from "../wire/calls/session";
import { RequestFailed } from "../wire/client";
import type { FeedEvent, ImportProgress, ReplyText, RunState, SessionView, StepTicker, SyncState } from "../wire/generated";
import { LiveFeed } from "../wire/live";
import { inWindow, keepToken, tokenFromWindow } from "../wire/token";
import { presenceAgain, watchPresence } from "./presence";
import { whenServed } from "./stale";
import { LOCAL } from "./sync";
import { unsaved } from "./unsaved";

type Interest = { event(event: FeedEvent): void; reload(campaign: string | null): void };

const LOST_AFTER = 1_500;
const IDLE: RunState = { phase: "idle", campaign_id: null, name: "", once: false, asleep: null, until: null, away_since: null, halt: null, because: [], error: null };

/** The page's connection to this launch of Outrider: first the token, then the live feed; and what runs. */
class App {
  phase = $state<"connecting" | "pairing" | "open" | "over">("connecting");
  connected = $state(false);
  /** Whether the connection was lost long enough to say so; a short interruption is not worth a banner. */
  lost = $state(false);
  /** Another build is served than this page is of, and something typed would be lost by loading it again. */
  stale = $state(false);
  session = $state.raw<SessionView | null>(null);
  run = $state.raw<RunState>(IDLE);
  /** How this machine and the shared store stand. */
  sync = $state.raw<SyncState>(LOCAL);
  /** The step of the turn in flight that was closed last. */
  step = $state.raw<StepTicker | null>(null);
  /** The reply of the turn in flight as far as it has arrived. */
  reply = $state.raw<ReplyText | null>(null);
  /** The same two of a turn for what the assistant was asked. */
  asked = $state.raw<{ step: StepTicker | null; reply: ReplyText | null }>({ step: null, reply: null });

  /** The user wants to close the window while a campaign runs, and is asked whether it may stop. */
  closing = $state(false);
  /** The import of a lead file that is under way, or that ended last. */
  importing = $state.raw<ImportProgress | null>(null);

  readonly feed = new LiveFeed({
    connected: (is) => this.heard(is),
    refused: () => (this.phase = inWindow() ? "over" : "pairing"),
    event: (event) => this.each((one) => one.event(event)),
    reload: (campaign) => {
      if (campaign === null) presenceAgain();
      this.each((one) => one.reload(campaign));
    },
    step: (ticker) => {
      if (ticker.request_id === null) this.step = ticker;
      else this.asked = { ...this.asked, step: ticker };
    },
    reply: (text) => {
      if (text.request_id === null) this.reply = text;
      else this.asked = { ...this.asked, reply: text };
    },
    run: (state) => {
      const turned = (state.away_since === null) !== (this.run.away_since === null);
      this.run = state;
      if (turned) this.each((one) => one.reload(null)); // the gates that are shown have changed without an event
    },
    sync: (state) => (this.sync = state),
    closing: () => (this.closing = true),
    importing: (progress) => {
      this.importing = progress;
      if (progress.phase === "ended") this.each((one) => one.reload(null)); // that it ended is no event, and lists say whether it runs
    },
  });
  private readonly interested = new Set<Interest>();
  private watching = false;
  private interrupted = false;

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
    if (is) {
      this.lost = false;
      if (this.interrupted) void this.askForBuild();
      this.interrupted = false;
      if (this.importing?.phase === "running") this.importing = null; // said again if it still runs
    } else if (this.connected) {
      this.interrupted = true;
      setTimeout(() => (this.lost = !this.connected), LOST_AFTER);
    }
    this.connected = is;
  }

  private async enter(): Promise<void> {
    try {
      this.take(await session.view());
    } catch (error) {
      if (error instanceof RequestFailed && error.status === 401) this.phase = "over";
      throw error;
    }
    this.phase = "open";
    if (!this.watching) {
      this.watching = true;
      watchPresence();
    }
    this.feed.open();
  }

  private take(view: SessionView): void {
    this.session = view;
    this.run = view.run;
    const then = whenServed(document.documentElement.dataset["build"] ?? "", view.build, unsaved.any());
    if (then === "reload") location.reload();
    this.stale = then === "offer";
  }

  /** After a lost connection Outrider may be another one. */
  private async askForBuild(): Promise<void> {
    try {
      this.take(await session.view());
    } catch (error) {
      if (!(error instanceof RequestFailed)) throw error; // lost again: the feed says so
    }
  }

  private each(tell: (one: Interest) => void): void {
    for (const one of this.interested) tell(one);
  }
}

export const app = new App();
