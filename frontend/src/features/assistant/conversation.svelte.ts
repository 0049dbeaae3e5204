import { assistantConversation, assistantErase, requestsDelete, requestsRestore, assistantStop } from "../../lib/api/calls";
import type { AssistantConversation, FeedEvent } from "../../lib/api/generated";
import { Query } from "../../lib/query/query.svelte";
import { toasts } from "../../lib/app/toasts.svelte";
import { mayChange, withAnswer, withEarlierLines, withLatestLines } from "./lines";
import type { LoadedLines } from "./lines";

const GAP = 60;

/** A campaign's conversation with the assistant, live. */
export class ConversationQuery extends Query<AssistantConversation> {
  /** The part of the conversation that is loaded; null: nothing yet. */
  loaded = $state.raw<LoadedLines | null>(null);
  /** The request that turns run for now. */
  working = $state.raw<string | null>(null);
  loadingEarlier = $state(false);
  /** The request that is to end. */
  ending = $state.raw<string | null>(null);
  /** The last turn that ended. */
  turn = $state(0);
  /** Whether the latest line is in view. */
  atEnd = true;

  constructor(readonly campaign: string) {
    super(() => assistantConversation(campaign, { before: null }), GAP);
  }

  /** Follow the feed until the returned function is called. */
  open(): () => void {
    return this.follow(this.campaign, (event) => this.onEvent(event));
  }

  async loadEarlier(): Promise<void> {
    const before = this.loaded?.before ?? null;
    if (this.loadingEarlier || before === null) return;
    this.loadingEarlier = true;
    await toasts.attempt(async () => {
      const page = await assistantConversation(this.campaign, { before });
      // The conversation may have been deleted, or begun anew, meanwhile.
      if (this.loaded?.before === before) this.loaded = withEarlierLines(this.loaded, page);
    });
    this.loadingEarlier = false;
  }

  /** End the request; said once Outrider knows it, as another turn may begin until then. */
  async endRequest(): Promise<void> {
    const request = this.working;
    if (await this.during(() => toasts.attempt(() => assistantStop(this.campaign)))) this.ending = request;
    this.refresh();
  }

  /** Take the conversation away from here; it can be had back. */
  async hide(): Promise<boolean> {
    if (!(await toasts.attempt(() => requestsDelete(this.campaign)))) return false;
    this.empty();
    const undo = { label: "Undo", run: () => void this.restore() };
    toasts.info("Conversation deleted. The log keeps its record.", undo);
    return true;
  }

  /** Erase every word of it for good, from the logs too. */
  async erase(): Promise<boolean> {
    if (!(await toasts.attempt(() => assistantErase(this.campaign)))) return false;
    this.empty();
    toasts.info("Conversation erased from every log.");
    return true;
  }

  protected override received(page: AssistantConversation): AssistantConversation {
    this.loaded = withLatestLines(this.loaded, page, this.atEnd);
    this.working = page.working;
    return page;
  }

  private empty(): void {
    this.set(null);
    this.loaded = { lines: [], before: null };
    this.refresh();
  }

  private async restore(): Promise<void> {
    await toasts.attempt(() => requestsRestore(this.campaign));
    this.set(null);
    this.loaded = null;
    this.refresh();
  }

  /** Fold the event, if it is about something shown; whether more is to be loaded. */
  private onEvent(event: FeedEvent): boolean {
    if (this.loaded) this.loaded = withAnswer(this.loaded, event);
    if (event.entity === "turn") this.turn = Number(event.entity_id);
    return mayChange(event, this.loading, this.working);
  }
}
