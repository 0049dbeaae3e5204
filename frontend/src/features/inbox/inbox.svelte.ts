import { SvelteSet } from "svelte/reactivity";
import { threadsList, threadsView } from "../../lib/api/calls";
import type { FeedEvent, ThreadLine, ThreadView } from "../../lib/api/generated";
import { PagedQuery } from "../../lib/query/pagedQuery.svelte";
import { Query } from "../../lib/query/query.svelte";
import { linkTo } from "../../lib/state/route";
import { Selection } from "../../lib/state/selection.svelte";

const GAP = 400;
const CONCERNS = new Set(["message", "action", "approval", "lead", "input_request"]);

/** Whether an event may change what a conversation shows. */
function concernsThreads(event: FeedEvent): boolean {
  if (event.entity === "lead") return event.kind === "LeadAdvanced" || event.kind.endsWith("locked");
  return CONCERNS.has(event.entity);
}

export type Filter = ThreadLine["state"] | "";

/** The conversations of a campaign, and the one that is open. */
export class Inbox {
  filter = $state<Filter>("");
  name = $state("");
  /** Whose reply came while this page was open and was not looked at yet. */
  readonly unread = new SvelteSet<string>();
  readonly threads: PagedQuery<ThreadLine>;
  readonly selection: Selection;
  readonly thread: Query<ThreadView | null>;

  constructor(private readonly campaign: string) {
    this.threads = new PagedQuery((after, limit) => {
      const which = { state: this.filter, name: this.name.trim() };
      return threadsList(campaign, { ...which, after, limit });
    }, GAP);
    this.selection = new Selection(
      () => this.threads.rows.map((one) => one.id),
      (id) => linkTo(campaign, "inbox", id),
    );
    this.thread = new Query(async () => {
      const lead = this.selection.wanted;
      return lead === null ? null : threadsView(campaign, lead);
    });
  }

  /** Follow the feed until the returned function is called. */
  open(): () => void {
    const leaveList = this.threads.follow(this.campaign, concernsThreads);
    const leaveThread = this.thread.follow(this.campaign, (event) => this.onEvent(event));
    return () => {
      leaveList();
      leaveThread();
    };
  }

  /** Show the selected conversation. */
  show(): void {
    if (this.selection.wanted !== null) this.unread.delete(this.selection.wanted);
    void this.thread.load();
  }

  /** Note a reply of somebody else; whether the conversation that is open may have changed. */
  private onEvent(event: FeedEvent): boolean {
    const lead = event.changes?.["lead_id"];
    const isElsewhere = typeof lead === "string" && lead !== this.selection.wanted;
    if (event.kind === "ReplyReceived" && isElsewhere) this.unread.add(lead);
    return concernsThreads(event);
  }
}
