import { inboxListAll, inboxSavedReplies, threadsList, repliesRead, threadsView } from "../../lib/api/calls";
import { failureOf } from "../../lib/api/errors";
import type { FeedEvent, SavedReplies, ThreadLine, ThreadsQuery, ThreadView } from "../../lib/api/generated";
import { PagedQuery } from "../../lib/query/pagedQuery.svelte";
import { Query } from "../../lib/query/query.svelte";
import { linkTo } from "../../lib/navigation/route";
import { Selection } from "../../lib/navigation/selection.svelte";

const GAP = 400;
const CONCERNS = new Set(["message", "action", "approval", "lead", "input_request", "campaign"]);
const OF_LEADS = new Set(["LeadAdvanced", "LeadLabelled", "LeadSnoozed", "LeadNoted", "RepliesRead"]);

/** Whether an event may change what a conversation shows. */
function concernsThreads(event: FeedEvent): boolean {
  if (event.entity === "lead") return OF_LEADS.has(event.kind) || event.kind.endsWith("locked");
  return CONCERNS.has(event.entity);
}

export type Filter = ThreadsQuery["state"];
export type LabelFilter = ThreadsQuery["label"];

/** The conversations of a campaign, or of all, and the one that is open. */
export class Inbox {
  filter = $state<Filter>("");
  label = $state<LabelFilter>("");
  name = $state("");
  /** Whether the conversations of all campaigns are shown. */
  everywhere = $state(false);
  readonly threads: PagedQuery<ThreadLine>;
  readonly selection: Selection;
  readonly thread: Query<ThreadView | null>;
  readonly saved = new Query<SavedReplies>(() => inboxSavedReplies());

  constructor(private readonly campaign: string) {
    this.threads = new PagedQuery((after, limit) => {
      const which = { state: this.filter, label: this.label, name: this.name.trim() };
      if (this.everywhere) return inboxListAll({ ...which, after, limit });
      return threadsList(campaign, { ...which, after, limit });
    }, GAP);
    this.selection = new Selection(
      () => this.threads.rows.map((thread) => thread.id),
      (id) => linkTo(this.campaignOf(id), "inbox", id),
    );
    this.thread = new Query(async () => {
      const lead = this.selection.requestedId;
      return lead === null ? null : threadsView(this.campaignOf(lead), lead);
    });
  }

  /** The campaign that a conversation belongs to. */
  campaignOf(lead: string): string {
    return this.threads.rows.find((thread) => thread.id === lead)?.campaign_id ?? this.campaign;
  }

  /** Follow the feed until the returned function is called. */
  open(): () => void {
    void this.saved.load();
    const leaveList = this.threads.follow(null, concernsThreads);
    const leaveThread = this.thread.follow(null, concernsThreads);
    return () => {
      leaveList();
      leaveThread();
    };
  }

  /** Show the selected conversation. */
  show(): void {
    void this.thread.load();
  }

  /** The user opened a conversation: what they wrote is read. One that is merely shown first is not. */
  read(lead: string | null): void {
    const line = this.threads.rows.find((thread) => thread.id === lead);
    if (lead === null || line?.unread === false) return;
    void failureOf(() => repliesRead(this.campaignOf(lead), lead));
  }
}
