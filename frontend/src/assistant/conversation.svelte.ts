import { keepFresh } from "../state/fresh";
import { Refresher } from "../state/refresher";
import { toasts } from "../state/toasts.svelte";
import { assistant } from "../wire/calls/assistant";
import { RequestFailed } from "../wire/client";
import type { ErrorShape, FeedEvent } from "../wire/generated";
import { answered, earlier, latest } from "./lines";
import type { Held } from "./lines";

/** What events change a line. */
const TOLD: ReadonlySet<string> = new Set(["line", "input_request"]);

/** A campaign's conversation, live. */
export class Talk {
  held = $state.raw<Held | null>(null);
  /** The request that turns run for now. */
  working = $state.raw<string | null>(null);
  error = $state.raw<ErrorShape | null>(null);
  fetching = $state(false);
  /** The request that is to end after its turn. */
  ending = $state.raw<string | null>(null);
  /** The last turn that ended. */
  turn = $state(0);
  /** Whether the latest line is in view. */
  atEnd = true;
  private generation = 0;
  private readonly refresher = new Refresher(() => this.load(), 60);

  constructor(readonly campaign: string) {}

  /** Follow the feed until the returned function is called. */
  open(): () => void {
    return keepFresh(this.campaign, this.refresher, (event) => this.hear(event));
  }

  again(): void {
    this.refresher.ask();
  }

  async further(): Promise<void> {
    const held = this.held;
    if (this.fetching || held === null || held.before === null) return;
    const mine = this.generation;
    this.fetching = true;
    await toasts.attempt(async () => {
      const page = await assistant.conversation(this.campaign, held.before);
      if (mine === this.generation && this.held) this.held = earlier(this.held, page);
    });
    this.fetching = false;
  }

  async stop(): Promise<void> {
    this.ending = this.working;
    if (!(await toasts.attempt(() => assistant.stop(this.campaign)))) this.ending = null;
    this.again();
  }

  /** Take the conversation away from here; it can be had back. */
  async hide(): Promise<void> {
    if (!(await toasts.attempt(() => assistant.hide(this.campaign)))) return;
    this.generation += 1;
    this.held = { lines: [], before: null };
    this.again();
    toasts.tell("The conversation is gone from here. Nothing else changed; the log keeps its record.", { label: "Undo", run: () => void this.restore() });
  }

  private async restore(): Promise<void> {
    await toasts.attempt(() => assistant.restore(this.campaign));
    this.generation += 1;
    this.held = null;
    this.again();
  }

  /** Fold it, if it is about something shown; whether more is to be loaded. */
  private hear(event: FeedEvent): boolean {
    if (this.held) this.held = answered(this.held, event);
    if (event.entity === "turn") this.turn = Number(event.entity_id);
    return TOLD.has(event.entity) || event.kind.startsWith("Conversation") || event.entity_id === this.working;
  }

  private async load(): Promise<void> {
    const mine = this.generation;
    try {
      const page = await assistant.conversation(this.campaign, null);
      if (mine !== this.generation) return;
      this.held = latest(this.held, page, this.atEnd);
      this.working = page.working;
      this.error = null;
    } catch (error) {
      if (!(error instanceof RequestFailed)) throw error;
      this.error = error.shape;
    }
  }
}
