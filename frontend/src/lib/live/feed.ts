import { backoff } from "./backoff";
import type {
  FeedEvent,
  FeedMessage,
  DoNotContactProgress,
  ImportProgress,
  ReplyText,
  RunState,
  ScriptProgress,
  StepTicker,
  SyncState,
} from "../api/generated";
import { FeedPositions } from "./positions";
import { currentToken } from "../api/token";

export interface Listener {
  connected(is: boolean): void;
  /** The key of this launch is not ours any more: Outrider was started again. */
  refused(): void;
  event(event: FeedEvent): void;
  /** Something was missed: load this campaign, or everything, again. */
  reload(campaign: string | null): void;
  step(ticker: StepTicker): void;
  /** More of a reply has arrived, or all of it. */
  reply(text: ReplyText): void;
  run(state: RunState): void;
  sync(state: SyncState): void;
  /** The user wants to close the window, and a campaign runs. */
  closing(): void;
  importing(progress: ImportProgress): void;
  doNotContactImport(progress: DoNotContactProgress): void;
  script(progress: ScriptProgress): void;
}

/** The same code also ends a connection that was silent for long: a machine may have slept, and the key is good. */
const REFUSED = { code: 1008, reason: "token_refused" };

/** The live feed: connects, says what it has received so far, and reconnects from there when the connection is lost. */
export class LiveFeed {
  readonly positions = new FeedPositions();
  private attempt = 0;

  constructor(private readonly listener: Listener) {}

  open(): void {
    const socket = new WebSocket(`ws://${location.host}/api/feed`);
    socket.addEventListener("open", () => {
      socket.send(JSON.stringify({ token: currentToken(), after: this.positions.toSend() }));
    });
    socket.addEventListener("message", (message) => {
      this.onMessage(JSON.parse(String(message.data)) as FeedMessage);
    });
    socket.addEventListener("close", (close) => {
      this.listener.connected(false);
      if (close.code === REFUSED.code && close.reason === REFUSED.reason) return this.listener.refused();
      setTimeout(() => this.open(), backoff(this.attempt++));
    });
  }

  private onMessage(message: FeedMessage): void {
    switch (message.type) {
      case "ready":
        this.attempt = 0;
        this.listener.connected(true);
        this.listener.reload(null);
        return;
      case "events":
        for (const event of message.events) this.onEvent(event);
        return;
      case "reset":
        this.positions.reset(message.campaign_id, message.seq);
        return this.listener.reload(message.campaign_id);
      case "step":
        return this.listener.step(message);
      case "reply":
        return this.listener.reply(message);
      case "import":
        return this.listener.importing(message);
      case "do_not_contact_import":
        return this.listener.doNotContactImport(message);
      case "script":
        return this.listener.script(message);
      case "run":
        return this.listener.run(message.run);
      case "sync":
        return this.listener.sync(message.sync);
      case "closing":
        return this.listener.closing();
    }
  }

  private onEvent(event: FeedEvent): void {
    const is = this.positions.take(event.campaign_id, event.seq);
    if (is === "gap") this.listener.reload(event.campaign_id);
    else if (is === "next") this.listener.event(event);
  }
}
