import {
  leadGroupsContactAgain, leadGroupsForbid,
  leadGroupsMove,
  leadGroupsPrioritise,
  leadGroupsSkip, leadGroupsTakeUp,
  leadGroupsTag, leadGroupsUntag,
} from "../../lib/api/calls";
import type { GroupDecided } from "../../lib/api/generated";
import { toggled } from "../../lib/navigation/selection";
import { toasts } from "../../lib/app/toasts.svelte";
import { byPriorityBefore, decideInParts, outcomeSentence } from "./groups";
import type { GroupOutcome } from "./groups";
import type { Leads } from "./leads.svelte";

type Decide = (ids: string[]) => Promise<GroupDecided>;

/** The leads that are marked, and what is decided about all of them. */
export class LeadGroup {
  marked = $state.raw<ReadonlySet<string>>(new Set());
  /** A decision that is being carried out. */
  progress = $state.raw<{ label: string; done: number; total: number } | null>(null);
  private anchor = -1;
  private stopping = false;

  constructor(private readonly leads: Leads) {}

  has(id: string): boolean {
    return this.marked.has(id);
  }

  clear(): void {
    this.marked = new Set();
    this.anchor = -1;
  }

  /** Mark a row, or unmark it; a range begins here. */
  toggle(index: number): void {
    const lead = this.leads.list.at(index);
    if (!lead) return;
    this.marked = toggled(this.marked, lead.id);
    this.anchor = index;
  }

  /** Mark everything between the row where the range began and this one. */
  async markTo(index: number, from = this.anchor < 0 ? index : this.anchor): Promise<void> {
    if (this.anchor < 0) this.anchor = from;
    const [first, last] = [Math.min(from, index), Math.max(from, index)];
    const rows = Array.from({ length: last - first + 1 }, (_, n) => this.leads.list.at(first + n)?.id);
    let ids = rows.filter((id) => id !== undefined);
    if (ids.length < rows.length) {
      // Some of them were never in view.
      await toasts.attempt(async () => {
        ids = (await this.leads.matching()).slice(first, last + 1);
      });
    }
    this.marked = new Set([...this.marked, ...ids]);
  }

  /** Mark everybody who matches; once all are marked, nobody. */
  async markAll(): Promise<void> {
    if (this.marked.size > 0 && this.marked.size >= this.leads.list.total) return this.clear();
    await toasts.attempt(async () => {
      this.marked = new Set(await this.leads.matching());
    });
  }

  /** The marked leads; the current one when none is marked. */
  get ids(): string[] {
    if (this.marked.size > 0) return [...this.marked];
    return this.leads.current === null ? [] : [this.leads.current];
  }

  /** Stop after the part that is under way. */
  stop(): void {
    this.stopping = true;
  }

  tag(tag: string, remove = false): Promise<void> {
    const give = (off: boolean): Decide => (ids) => (off ? leadGroupsUntag : leadGroupsTag)(this.leads.campaign, { lead_ids: ids, tag });
    return this.decide(remove ? "Untagged" : "Tagged", give(remove), (outcome) =>
      this.back(outcome, give(!remove), `The tag “${tag}” is ${remove ? "back" : "gone again"}.`),
    );
  }

  prioritise(priority: number | null): Promise<void> {
    const set = (to: number | null): Decide => (ids) => leadGroupsPrioritise(this.leads.campaign, { lead_ids: ids, priority: to });
    return this.decide("Prioritised", set(priority), async (outcome) => {
      for (const [before, ids] of byPriorityBefore(outcome.changed)) {
        await decideInParts(ids, set(before), () => undefined, () => false);
      }
      toasts.info("Their priorities are as they were.");
    });
  }

  skip(): Promise<void> {
    const set = (skip: boolean): Decide => (ids) => (skip ? leadGroupsSkip : leadGroupsTakeUp)(this.leads.campaign, { lead_ids: ids });
    return this.decide("Skipped", set(true), (outcome) => this.back(outcome, set(false), "They continue."));
  }

  takeUp(): Promise<void> {
    const set = (skip: boolean): Decide => (ids) => (skip ? leadGroupsSkip : leadGroupsTakeUp)(this.leads.campaign, { lead_ids: ids });
    return this.decide("Resumed:", set(false), (outcome) => this.back(outcome, set(true), "They are skipped again."));
  }

  forbid(reason: string): Promise<void> {
    const forbid: Decide = (ids) => leadGroupsForbid(this.leads.campaign, { lead_ids: ids, reason });
    const allow: Decide = (ids) => leadGroupsContactAgain(this.leads.campaign, { lead_ids: ids });
    return this.decide("Never to be contacted:", forbid, (outcome) =>
      this.back(outcome, allow, "They are off the do-not-contact list; withdrawn messages are written again."),
    );
  }

  move(target: string, name: string): Promise<void> {
    const to: Decide = (ids) => leadGroupsMove(this.leads.campaign, { lead_ids: ids, target });
    return this.decide(`Moved to “${name}”:`, to, async ({ changed }) => {
      const back: Decide = (ids) => leadGroupsMove(target, { lead_ids: ids, target: this.leads.campaign });
      await decideInParts(changed.map((change) => change.moved_to), back, () => undefined, () => false);
      toasts.info("They are back in this campaign.");
    });
  }

  private async back(outcome: GroupOutcome, decide: Decide, notice: string): Promise<void> {
    await decideInParts(outcome.changed.map((change) => change.lead_id), decide, () => undefined, () => false);
    toasts.info(notice);
  }

  private async decide(label: string, decide: Decide, undo: (outcome: GroupOutcome) => Promise<void>): Promise<void> {
    const ids = this.ids;
    if (ids.length === 0 || this.progress !== null) return;
    this.stopping = false;
    this.progress = { label, done: 0, total: ids.length };
    let outcome: GroupOutcome | null = null;
    const whole = await toasts.attempt(() =>
      decideInParts(
        ids,
        decide,
        (done, so_far) => {
          outcome = so_far;
          this.progress = { label, done, total: ids.length };
        },
        () => this.stopping,
      ),
    );
    this.progress = null;
    if (outcome !== null) this.tell(label, outcome, undo);
    if (whole && !this.stopping) this.clear();
    this.leads.refresh();
  }

  private tell(label: string, outcome: GroupOutcome, undo: (outcome: GroupOutcome) => Promise<void>): void {
    const again = async () => {
      await toasts.attempt(() => undo(outcome));
      this.leads.refresh();
    };
    const action = outcome.changed.length > 0 ? { label: "Undo", run: () => void again() } : undefined;
    toasts.info(outcomeSentence(label, outcome), action);
  }
}
