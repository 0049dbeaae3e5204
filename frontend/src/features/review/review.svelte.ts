import { untrack } from "svelte";
import {
  reviewApprove,
  draftsApproveSeveral,
  reviewEdit,
  draftsList,
  reviewReject,
  reviewRestore,
  reviewWithdraw,
  leadGroupsSkip, leadGroupsTakeUp,
} from "../../lib/api/calls";
import { errorShapeOf } from "../../lib/api/errors";
import type { Decided, Draft, FeedEvent } from "../../lib/api/generated";
import { hiddenCodePoints } from "../../lib/format/hiddenCharacters";
import { Selection } from "../../lib/navigation/selection.svelte";
import { PagedQuery } from "../../lib/query/pagedQuery.svelte";
import { markedThrough, toggled, without } from "../../lib/navigation/selection";
import { linkTo } from "../../lib/navigation/route";
import { toasts } from "../../lib/app/toasts.svelte";
import { needsOwnApproval } from "./approval";
import { unsaved } from "./draftEdits.svelte";
import type { ReviewSession } from "./reviewSession.svelte";

/** The pause between two refreshes of a list of texts, in milliseconds. */
export const GAP = 400;
const CONCERNS = new Set(["message", "approval", "incident", "campaign", "input_request"]);

/** Whether an event may change what Review shows. */
export const concernsReview = (event: FeedEvent): boolean => CONCERNS.has(event.entity);

interface Undo {
  id: string;
  run: () => Promise<unknown>;
  /** Whether the text does not come back, but is written anew. */
  anew?: boolean;
  /** The toast that says what was decided. */
  toast?: number;
}

/** The drafts that wait for the user, and what the user is about to decide. */
export class ReviewQueue {
  readonly list: PagedQuery<Draft>;
  /** Drafts whose decision is under way or done, until a list without them arrives. */
  private decided = $state.raw<ReadonlySet<string>>(new Set());
  /** Drafts that changed between being shown and being approved: the new text is to be read. */
  changed = $state.raw<ReadonlySet<string>>(new Set());
  marked = $state.raw<ReadonlySet<string>>(new Set());
  /** Who was sent a text last of those that were approved here, and how many of these have gone. */
  sent = $state.raw<{ name: string; count: number; of: number } | null>(null);
  private readonly approved = new Map<string, string>();
  private last = $state.raw<Undo | null>(null);
  readonly drafts: readonly Draft[] = $derived.by(() => this.list.rows.filter((draft) => !this.decided.has(draft.id)));
  readonly selection: Selection;
  readonly draft: Draft | null = $derived.by(() => this.drafts[this.selection.now?.index ?? -1] ?? null);
  readonly several: readonly Draft[] = $derived(this.drafts.filter((draft) => this.marked.has(draft.id) && !needsOwnApproval(draft) && !draft.note.held));

  constructor(
    private readonly campaign: string,
    private readonly session: ReviewSession,
  ) {
    this.list = new PagedQuery((after, limit) => draftsList(campaign, { after, limit }), GAP);
    this.selection = new Selection(
      () => this.drafts.map((draft) => draft.id),
      (id) => linkTo(campaign, "review", id),
    );
    // Not before the list without them is shown: until then they would be shown once more.
    $effect(() => {
      const ids = new Set(this.list.rows.map((draft) => draft.id));
      untrack(() => (this.decided = new Set([...this.decided].filter((id) => ids.has(id)))));
    });
  }

  open(): () => void {
    return this.list.follow(this.campaign, (event) => {
      const name = event.kind === "MessageSent" ? this.approved.get(event.entity_id) : undefined;
      if (name !== undefined) this.sent = { name, count: (this.sent?.count ?? 0) + 1, of: this.approved.size };
      if (name !== undefined && this.last?.id === event.entity_id) this.last = null; // what has gone out stays
      return concernsReview(event);
    });
  }

  private onApproved(drafts: readonly Draft[]): void {
    for (const draft of drafts) this.approved.set(draft.id, draft.recipient);
    if (this.sent !== null) this.sent = { ...this.sent, of: this.approved.size };
  }

  /** Approve exactly what is shown: `draft` is the one on the screen; its digest, what it hides and what may be a placeholder go with it. */
  async approve(draft: Draft): Promise<void> {
    if (unsaved.of(this.campaign, draft.id)) return; // what is on the screen is not what would be sent
    const undo = { id: draft.id, run: () => reviewWithdraw(this.campaign, draft.id) };
    this.onApproved([draft]); // before the answer: it may be sent sooner than that
    const approval = {
      shown_digest: draft.digest,
      hidden_shown: hiddenCodePoints(draft.text),
      placeholders_shown: [...draft.placeholders],
    };
    if (await this.decide(draft, () => reviewApprove(this.campaign, draft.id, approval), undo)) this.session.did("approved", [draft]);
    else this.approved.delete(draft.id);
  }

  /** `reason` is what the model is told; empty for none. Whether it was rejected. */
  async reject(draft: Draft, reason: string): Promise<boolean> {
    const undo: Undo = { id: draft.id, run: () => reviewRestore(this.campaign, draft.id) };
    if (!(await this.decide(draft, () => reviewReject(this.campaign, draft.id, { reason }), undo))) return false;
    this.session.did("rejected", [draft]);
    unsaved.drop(this.campaign, draft.id);
    undo.toast = toasts.info(`Rejected. A new message will be written for ${draft.recipient}.`, {
      label: "Undo",
      run: () => void this.takeBack(undo),
    });
    return true;
  }

  /** Do nothing more about this person in this campaign; their text is withdrawn. */
  async skip(draft: Draft): Promise<void> {
    const set = (skip: boolean) => (skip ? leadGroupsSkip : leadGroupsTakeUp)(this.campaign, { lead_ids: [draft.lead_id] });
    const undo: Undo = { id: draft.id, run: () => set(false), anew: true };
    if (!(await this.decide(draft, () => set(true), undo))) return;
    this.session.did("skipped", [draft]);
    unsaved.drop(this.campaign, draft.id);
    undo.toast = toasts.info(`${draft.recipient} is skipped for the rest of this campaign.`, {
      label: "Undo",
      run: () => void this.takeBack(undo),
    });
  }

  /** Save what was typed; it still needs approval. Whether it was saved. */
  async save(draft: Draft, text: string): Promise<boolean> {
    const saved = await toasts.attempt(() => reviewEdit(this.campaign, draft.id, { text }));
    if (saved) {
      this.session.wrote(draft.id);
      await this.list.load();
      unsaved.drop(this.campaign, draft.id);
      this.changed = without(this.changed, draft.id);
    }
    return saved;
  }

  /** Approve each of these as it was shown, and say of each what became of it; null when nobody answered. */
  async approveSeveral(shown: readonly Draft[]): Promise<readonly Decided[] | null> {
    let results: readonly Decided[] | null = null;
    this.onApproved(shown);
    await toasts.attempt(async () => {
      results = (await draftsApproveSeveral(this.campaign, { drafts: shown.map(({ id, digest }) => ({ id, digest })) }))
        .drafts;
      const failed = new Set(results.filter((result) => result.error !== null).map((result) => result.id));
      this.decided = new Set([...this.decided, ...shown.map((draft) => draft.id).filter((id) => !failed.has(id))]);
      this.session.did("approved", shown.filter((draft) => !failed.has(draft.id)));
      this.last = null; // or an earlier decision would be undone for the last
      this.marked = failed;
      for (const id of failed) this.approved.delete(id);
      const stale = results.filter((result) => result.error?.code === "approval_text_changed").map((result) => result.id);
      this.changed = new Set([...this.changed, ...stale]);
    });
    this.list.refresh();
    return results;
  }

  mark(): void {
    const id = this.selection.id;
    if (id !== null) this.marked = toggled(this.marked, id);
  }

  /** Mark every text of the list; once all are, none. */
  markAll(): void {
    const ids = this.drafts.map((draft) => draft.id);
    this.marked = ids.every((id) => this.marked.has(id)) ? new Set() : new Set(ids);
  }

  /** Move, and mark everything on the way. */
  markBy(by: number): void {
    const from = this.selection.now?.index ?? 0;
    this.selection.move(by);
    this.marked = markedThrough(
      this.drafts.map((draft) => draft.id),
      this.marked,
      from,
      this.selection.now?.index ?? from,
    );
  }

  get undoable(): boolean {
    return this.last !== null;
  }

  /** Undo the last decision. */
  async undoLast(): Promise<void> {
    if (this.last !== null) await this.takeBack(this.last);
  }

  private async takeBack(undo: Undo): Promise<void> {
    if (this.last === undo) this.last = null;
    if (await toasts.attempt(undo.run)) {
      this.approved.delete(undo.id);
      this.session.undid(undo.id);
      this.decided = without(this.decided, undo.id);
      if (undo.toast !== undefined) toasts.dismiss(undo.toast);
      const shown = undo.anew ? this.selection.id : undo.id; // the next key means whoever is shown: it stays who was
      if (shown !== null) this.selection.select(shown); // before the list is read: whoever leaves meanwhile is not led back
      await this.list.load();
    }
  }

  private async decide(draft: Draft, command: () => Promise<unknown>, undo: Undo): Promise<boolean> {
    if (this.decided.has(draft.id)) return false;
    this.selection.select(draft.id);
    this.decided = new Set([...this.decided, draft.id]);
    this.marked = without(this.marked, draft.id);
    try {
      await command();
      this.changed = without(this.changed, draft.id);
      this.last = undo;
      return true;
    } catch (thrown) {
      const error = errorShapeOf(thrown);
      this.decided = without(this.decided, draft.id);
      this.selection.select(draft.id);
      if (error.code === "approval_text_changed") this.changed = new Set([...this.changed, draft.id]);
      toasts.error(error);
      return false;
    } finally {
      this.list.refresh();
    }
  }
}
