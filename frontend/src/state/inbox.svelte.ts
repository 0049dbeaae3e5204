import { SvelteSet } from "svelte/reactivity";
import { inbox } from "../wire/calls/inbox";
import { RequestFailed } from "../wire/client";
import type { ErrorShape, FeedEvent, ThreadLine, ThreadView } from "../wire/generated";
import { app } from "./app.svelte";
import { Chosen } from "./chosen.svelte";
import { LivePages } from "./live-pages.svelte";
import { Refresher } from "./refresher";
import { linkTo } from "./route";

const CONCERNS = new Set(["message", "action", "approval", "lead", "input_request"]);
const concerns = (event: FeedEvent): boolean => CONCERNS.has(event.entity) && (event.entity !== "lead" || event.kind === "LeadAdvanced" || event.kind.endsWith("locked"));

export type Filter = ThreadLine["state"] | "";

/** The conversations of a campaign, and the one that is open. */
export class Inbox {
  filter = $state<Filter>("");
  name = $state("");
  thread = $state.raw<ThreadView | null>(null);
  error = $state.raw<ErrorShape | null>(null);
  /** Whose reply came while this page was open and was not looked at yet. */
  readonly news = new SvelteSet<string>();
  readonly live: LivePages<ThreadLine>;
  readonly chosen: Chosen;
  private readonly reader = new Refresher(() => this.read(), 300);

  constructor(private readonly campaign: string) {
    this.live = new LivePages((after, limit) => inbox.threads(campaign, { state: this.filter, name: this.name.trim() }, after, limit));
    this.chosen = new Chosen(
      () => this.live.pages.rows.map((one) => one.id),
      (id) => linkTo(campaign, "inbox", id),
    );
  }

  open(): () => void {
    const leave = [
      this.live.open(this.campaign, concerns),
      app.follow({ event: (event) => this.heard(event), reload: () => this.reader.ask() }),
    ];
    return () => {
      for (const one of leave) one();
      this.reader.stop();
    };
  }

  /** The chosen conversation is to be shown. */
  show(): void {
    if (this.chosen.wanted !== null) this.news.delete(this.chosen.wanted);
    this.reader.ask();
  }

  private heard(event: FeedEvent): void {
    if (event.campaign_id !== this.campaign) return;
    const lead = event.changes?.["lead_id"];
    if (event.kind === "ReplyReceived" && typeof lead === "string" && lead !== this.chosen.wanted) this.news.add(lead);
    if (concerns(event)) this.reader.ask();
  }

  private async read(): Promise<void> {
    const id = this.chosen.wanted;
    if (id === null) {
      this.thread = null;
      return;
    }
    try {
      const thread = await inbox.thread(this.campaign, id);
      if (this.chosen.wanted !== id) return this.reader.ask();
      this.thread = thread;
      this.error = null;
    } catch (error) {
      if (!(error instanceof RequestFailed)) throw error;
      this.error = error.shape;
    }
  }
}
