import { leads as calls } from "../wire/calls/leads";
import { RequestFailed } from "../wire/client";
import type { LeadDetail, LeadFacets, LeadLine, Prioritised } from "../wire/generated";
import type { ErrorShape, FeedEvent } from "../wire/generated";
import { keepFresh } from "./fresh";
import { ALL, asked, foldLead, moves } from "./leads";
import type { Filter } from "./leads";
import { Refresher } from "./refresher";
import { toasts } from "./toasts.svelte";
import { Windows } from "./windows.svelte";

/** The leads of one campaign: the list as it is narrowed and sorted, and what the user sets by hand. */
export class Leads {
  filter = $state.raw<Filter>(ALL);
  facets = $state.raw<LeadFacets | null>(null);
  readonly list: Windows<LeadLine>;
  /** The lead whose row the keys move. */
  current = $state<string | null>(null);
  private readonly refresher = new Refresher(() => this.read(), 400);

  constructor(readonly campaign: string) {
    this.list = new Windows((after, skip, limit) => calls.window(campaign, { ...asked(this.filter), after, skip: skip || null, limit }));
  }

  /** Follow the feed until the returned function is called. */
  open(): () => void {
    return keepFresh(this.campaign, this.refresher, (event) => this.heard(event));
  }

  /** Narrow or sort otherwise. */
  async narrow(to: Partial<Filter>): Promise<void> {
    this.filter = { ...this.filter, ...to };
    this.list.show(0, 40);
    await this.list.again();
  }

  again(): void {
    this.refresher.ask();
  }

  /** Set a lead's priority by hand (null: by its score again); it can be undone. */
  prioritise(lead: LeadLine, priority: number | null): Promise<boolean> {
    return this.ranked(lead, () => calls.prioritise(this.campaign, lead.id, priority));
  }

  /** Put a lead between two others. */
  place(lead: LeadLine, above: string | null, below: string | null, upwards: boolean): Promise<boolean> {
    return this.ranked(lead, () => calls.place(this.campaign, lead.id, above, below, upwards));
  }

  private ranked(lead: LeadLine, how: () => Promise<Prioritised>): Promise<boolean> {
    return toasts.attempt(async () => {
      const { priority, before } = await how();
      if (priority === before) {
        toasts.tell(`${lead.full_name} cannot go further: equal priorities are ordered by the most recently updated profile.`);
        return;
      }
      this.list.change((row) => (row.id === lead.id ? { ...row, priority_override: priority } : row));
      this.refresher.ask();
      const said = priority === null ? `${lead.full_name} goes by the score again.` : `${lead.full_name} has priority ${priority}, set by hand.`;
      toasts.tell(said, { label: "Undo", run: () => void this.undo(lead, before) });
    });
  }

  private async undo(lead: LeadLine, before: number | null): Promise<void> {
    await toasts.attempt(() => calls.prioritise(this.campaign, lead.id, before));
    this.refresher.ask();
  }

  private heard(event: FeedEvent): boolean {
    if (event.entity === "lead") this.list.change((row) => foldLead(row, event));
    return moves(event, this.filter) || event.kind === "LeadTagged" || (event.entity === "lead" && event.changes !== null && "status" in event.changes);
  }

  private async read(): Promise<void> {
    await Promise.all([this.list.again(), this.readFacets()]);
  }

  private async readFacets(): Promise<void> {
    try {
      this.facets = await calls.facets(this.campaign);
    } catch (error) {
      if (!(error instanceof RequestFailed)) throw error;
    }
  }
}

/** One lead beside the list, live. */
export class LeadPanel {
  detail = $state.raw<LeadDetail | null>(null);
  error = $state.raw<ErrorShape | null>(null);
  private readonly refresher = new Refresher(() => this.read(), 250);

  constructor(
    readonly campaign: string,
    readonly id: string,
  ) {}

  open(): () => void {
    return keepFresh(this.campaign, this.refresher, (event) => {
      const about = event.entity_id === this.id || event.changes?.["lead_id"] === this.id;
      return about || ["task", "message", "turn"].includes(event.entity);
    });
  }

  again(): void {
    this.refresher.ask();
  }

  private async read(): Promise<void> {
    try {
      this.detail = await calls.detail(this.campaign, this.id);
      this.error = null;
    } catch (error) {
      if (!(error instanceof RequestFailed)) throw error;
      this.error = error.shape;
    }
  }
}
