import { sessionPair, sessionPairAgain, sessionView } from "../api/calls";
import { failureOf, RequestFailed } from "../api/errors";
import type {
  CampaignState,
  CampaignView,
  ErrorShape,
  FeedEvent,
  Paired,
  DoNotContactProgress,
  ImportProgress,
  ReplyText,
  RunState,
  ScriptProgress,
  SessionView,
  StepTicker,
  SyncState,
} from "../api/generated";
import { standsStill, stateShown } from "../campaign/runControls";
import { native } from "../desktop/native";
import { LiveFeed } from "../live/feed";
import { inWindow, keepTicket, keepToken, leaveTicket, releaseRequests, takeTicket, tokenFromWindow } from "../api/token";
import { reportPresenceAgain, watchPresence } from "./presence";
import { actionForBuild } from "./build";
import { LOCAL } from "./syncStatus";
import { unsaved } from "./unsavedWork";

type Listener = { event(event: FeedEvent): void; reload(campaign: string | null): void };

const LOST_AFTER = 1_500;
/** So long (ms) the first requests wait for the feed: what is read once it is open need not be read again. */
const FEED_FIRST = 500;
const idle = (campaign_id: string): RunState => ({
  phase: "idle",
  campaign_id,
  name: "",
  once: false,
  nothing_eligible: null,
  until: null,
  away_since: null,
  halt: null,
  because: [],
  error: null,
  checks: [],
  told: [],
});

/** The page's connection to this launch of Outrider: first the token, then the live feed; and what runs. */
class App {
  phase = $state<"connecting" | "pairing" | "open" | "over" | "failed">("connecting");
  /** Why there is no backend, in phase "failed". */
  failure = $state.raw<ErrorShape | null>(null);
  connected = $state(false);
  /** Whether it was connected and is not any more. */
  interrupted = $state(false);
  /** Whether the connection was lost long enough to say so; a short interruption is not worth a banner. */
  lost = $state(false);
  /** Another build is served than this page is of, and something typed would be lost by loading it again. */
  stale = $state(false);
  session = $state.raw<SessionView | null>(null);
  /** What runs, and how the last run of each campaign ended, by campaign. */
  private runs = $state.raw<Readonly<Record<string, RunState>>>({});
  /** What runs now. */
  readonly running = $derived(Object.values(this.runs).filter((run) => run.phase !== "idle"));
  /** The state of the synchronisation with the shared store. */
  sync = $state.raw<SyncState>(LOCAL);
  /** The step of the turn in flight that was closed last, by campaign. */
  steps = $state.raw<Readonly<Record<string, StepTicker>>>({});
  /** The reply of the turn in flight as far as it has arrived, by campaign. */
  replies = $state.raw<Readonly<Record<string, ReplyText>>>({});
  /** The same two of a turn that works on a request to the assistant. */
  assistant = $state.raw<{ step: StepTicker | null; reply: ReplyText | null }>({ step: null, reply: null });

  /** The user wants to close the window while a campaign runs, and is asked whether it may stop. */
  closing = $state(false);
  /** The import of a lead file that is under way, or that ended last. */
  importing = $state.raw<ImportProgress | null>(null);
  /** The import of a do-not-contact file that is under way, or that ended last. */
  doNotContactImport = $state.raw<DoNotContactProgress | null>(null);
  /** The script that is under way, or that ended last. */
  script = $state.raw<ScriptProgress | null>(null);

  readonly feed = new LiveFeed({
    connected: (is) => this.onConnection(is),
    refused: () => {
      this.phase = inWindow() ? "over" : "pairing";
      this.feedAnswered(false);
    },
    event: (event) => this.each((listener) => listener.event(event)),
    reload: (campaign) => {
      if (campaign === null) reportPresenceAgain();
      if (!this.beginning) this.each((listener) => listener.reload(campaign));
      this.feedAnswered(true);
    },
    step: (ticker) => {
      if (ticker.request_id === null) this.steps = { ...this.steps, [ticker.campaign_id]: ticker };
      else this.assistant = { ...this.assistant, step: ticker };
    },
    reply: (text) => {
      if (text.request_id === null) this.replies = { ...this.replies, [text.campaign_id]: text };
      else this.assistant = { ...this.assistant, reply: text };
    },
    run: (state) => {
      const turned = (state.away_since === null) !== (this.run(state.campaign_id).away_since === null);
      this.takeRuns([state]);
      if (turned) this.each((listener) => listener.reload(null)); // the gates that are shown have changed without an event
    },
    sync: (state) => (this.sync = state),
    closing: () => (this.closing = true),
    script: (progress) => (this.script = progress),
    doNotContactImport: (progress) => (this.doNotContactImport = progress),
    importing: (progress) => {
      this.importing = progress;
      if (progress.phase === "ended") this.each((listener) => listener.reload(null)); // that it ended is no event, and lists say whether it runs
    },
  });
  private readonly listeners = new Set<Listener>();
  private watching = false;
  /** Nothing was asked for yet, so that nothing was missed before the feed was open. */
  private beginning = true;
  private feedAnswered: (open: boolean) => void = () => undefined;

  async begin(): Promise<void> {
    if (!inWindow()) {
      leaveTicket(window);
      const ticket = takeTicket(window);
      const back = ticket !== "" && (await failureOf(async () => this.open(await sessionPairAgain({ ticket })))) === null;
      if (!back) this.phase = "pairing";
      return;
    }
    this.failure = await failureOf(async () => keepToken(await tokenFromWindow()));
    if (this.failure === null) await this.enter();
    else this.phase = "failed";
  }

  /** Try once more after a failed start. */
  async startAgain(): Promise<void> {
    this.phase = "connecting";
    await failureOf(async () => (await native()).start_again());
    await this.begin();
  }

  /** Exchange the terminal's code for the token. Raises RequestFailed. */
  async pair(code: string): Promise<void> {
    await this.open(await sessionPair({ code }));
  }

  /** What runs of a campaign, or how its last run ended. */
  run(campaign: string): RunState {
    return this.runs[campaign] ?? idle(campaign);
  }

  /** Whether a campaign goes on only once the user continues it. */
  standsStill(campaign: Pick<CampaignView, "id" | "status" | "status_reason">): boolean {
    return standsStill(campaign, this.run(campaign.id), this.sync.phase !== "local");
  }

  /** How a campaign stands, as people are told. */
  stateOf(campaign: Pick<CampaignView, "id" | "status" | "status_reason" | "state">): CampaignState {
    return stateShown(campaign, this.run(campaign.id), this.sync.phase !== "local");
  }

  /** Runs as they are told; those of other campaigns are as they were. */
  takeRuns(runs: readonly RunState[]): void {
    this.runs = { ...this.runs, ...Object.fromEntries(runs.map((run) => [run.campaign_id, run])) };
  }

  /** Listen to the feed until the returned function is called. */
  follow(listener: Listener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Read everything that is shown again. */
  refresh(): void {
    this.each((listener) => listener.reload(null));
  }

  private onConnection(is: boolean): void {
    if (is) {
      this.lost = false;
      if (this.interrupted) void this.checkBuild();
      this.interrupted = false;
      if (this.importing?.phase === "running") this.importing = null; // said again if it still runs
      if (this.doNotContactImport?.phase === "running") this.doNotContactImport = null;
    } else if (this.connected) {
      this.interrupted = true;
      setTimeout(() => (this.lost = !this.connected), LOST_AFTER);
    }
    this.connected = is;
  }

  private async open(paired: Paired): Promise<void> {
    keepToken(paired.token);
    keepTicket(paired.ticket);
    await this.enter();
  }

  private async enter(): Promise<void> {
    try {
      this.take(await sessionView());
    } catch (error) {
      if (error instanceof RequestFailed && error.status === 401) this.phase = "over";
      throw error;
    }
    const admitted = await new Promise<boolean>((resolve) => {
      this.feedAnswered = resolve;
      this.feed.open();
      setTimeout(() => resolve(true), FEED_FIRST);
    });
    this.beginning = false;
    if (!admitted) return;
    releaseRequests();
    this.phase = "open";
    if (!this.watching) {
      this.watching = true;
      watchPresence();
    }
  }

  private take(view: SessionView): void {
    this.session = view;
    this.runs = {}; // of another launch, maybe
    this.takeRuns(view.runs);
    const action = actionForBuild(document.documentElement.dataset["build"] ?? "", view.build, unsaved.any());
    if (action === "reload") location.reload();
    this.stale = action === "offer";
  }

  /** After a lost connection Outrider may be another one. */
  private async checkBuild(): Promise<void> {
    // When the connection is lost again, the feed says so.
    await failureOf(async () => this.take(await sessionView()));
  }

  private each(notify: (listener: Listener) => void): void {
    for (const listener of this.listeners) notify(listener);
  }
}

export const app = new App();
