import {
  leadsArrange,
  leadsChooseGreeting,
  leadsFacets,
  leadsList,
  leadsMatching,
  leadsPlace,
  leadsPrioritise,
  leadsTable,
  leadDetailsView,
} from "../../lib/api/calls";
import type { FeedEvent, LeadDetail, LeadFacets, LeadLine, LeadTable, Prioritised } from "../../lib/api/generated";
import { ARRANGED } from "./columns";
import { ALL, asked, foldLead, moves, reassigns } from "./leads";
import type { Filter } from "./leads";
import { Query } from "../../lib/query/query.svelte";
import { Refreshable } from "../../lib/query/refreshable.svelte";
import { toasts } from "../../lib/app/toasts.svelte";
import { SparseList } from "./sparseList.svelte";

const LIST_GAP = 400;
const LEAD_GAP = 250;

/** The leads of one campaign: the list as it is narrowed and sorted, and what the user sets by hand. */
export class Leads extends Refreshable {
  filter = $state.raw<Filter>(ALL);
  readonly list: SparseList<LeadLine>;
  private readonly facetsQuery: Query<LeadFacets>;
  /** The lead whose row the keys move. */
  current = $state<string | null>(null);
  /** How the list is shown; the custom fields that could be columns. */
  table = $state.raw<LeadTable>(ARRANGED);
  fields = $state.raw<readonly string[]>([]);
  private arranged = false;

  constructor(readonly campaign: string) {
    super(LIST_GAP);
    this.facetsQuery = new Query(() => leadsFacets(campaign));
    this.list = new SparseList(async (after, skip, limit) => {
      await this.readTable();
      return leadsList(campaign, { ...asked(this.filter), after, skip: skip || null, limit });
    });
  }

  get facets(): LeadFacets | null {
    return this.facetsQuery.view;
  }

  /** Follow the feed until the returned function is called. */
  open(): () => void {
    // Of all campaigns: what another one does with somebody holds them back here, or sets them free.
    return this.follow(null, (event) => (event.campaign_id === this.campaign && this.onEvent(event)) || reassigns(event));
  }

  /** Narrow or sort otherwise. */
  async narrow(to: Partial<Filter>): Promise<void> {
    this.filter = { ...this.filter, ...to };
    this.list.show(0, 40);
    await this.list.load();
  }

  /** Show the list like this from now on, in this campaign. */
  async arrange(to: Partial<LeadTable>): Promise<boolean> {
    const before = this.table;
    this.table = { ...before, ...to };
    const saved = await toasts.attempt(() => leadsArrange(this.campaign, this.table));
    if (!saved) this.table = before;
    else if (to.columns) await this.list.load(); // the cells of custom fields
    return saved;
  }

  /** Sort by a column: once more is the other way around. */
  async sort(by: Filter["sort"], backwards = by === this.filter.sort && !this.filter.backwards): Promise<void> {
    await Promise.all([this.narrow({ sort: by, backwards }), this.arrange({ sort: by, backwards })]);
  }

  /** The ids of everybody who matches, in order. */
  async matching(): Promise<string[]> {
    return (await leadsMatching(this.campaign, asked(this.filter))).ids;
  }

  override async load(): Promise<void> {
    await Promise.all([this.list.load(), this.facetsQuery.load()]);
  }

  /** In what order the leads are shown, before the first rows are asked for. */
  private async readTable(): Promise<void> {
    if (this.arranged) return;
    const { table, fields } = await leadsTable(this.campaign);
    this.table = table;
    this.fields = fields;
    this.filter = { ...this.filter, sort: table.sort, backwards: table.backwards };
    this.arranged = true;
  }

  /** Set a lead's priority by hand (null: by its score again); it can be undone. */
  prioritise(lead: LeadLine, priority: number | null): Promise<boolean> {
    return this.ranked(lead, () => leadsPrioritise(this.campaign, lead.id, { priority }));
  }

  /** Say what a greeting calls a lead; "" leaves it to the name. */
  greet(lead: LeadLine, to: string): Promise<boolean> {
    return toasts.attempt(async () => {
      const { name, before } = await leadsChooseGreeting(this.campaign, lead.id, { name: to });
      this.refresh();
      const notice = name === "" ? `A greeting takes what ${lead.full_name}’s name says again.` : `${lead.full_name} is greeted as ${name}.`;
      toasts.info(notice, { label: "Undo", run: () => void this.greet({ ...lead, greeting_name: name }, before) });
    });
  }

  /** Put a lead between two others. */
  place(lead: LeadLine, above: string | null, below: string | null, upwards: boolean): Promise<boolean> {
    return this.ranked(lead, () => leadsPlace(this.campaign, lead.id, { above, below, upwards }));
  }

  private ranked(lead: LeadLine, command: () => Promise<Prioritised>): Promise<boolean> {
    return toasts.attempt(async () => {
      const { priority, before } = await command();
      if (priority === before) {
        toasts.info(
          `${lead.full_name} cannot move further: ties are ordered by the most recently updated profile.`,
        );
        return;
      }
      this.list.update((row) => (row.id === lead.id ? { ...row, priority_override: priority } : row));
      this.refresh();
      const notice =
        priority === null
          ? `${lead.full_name} is ranked by score again.`
          : `${lead.full_name} has priority ${priority}, set manually.`;
      toasts.info(notice, { label: "Undo", run: () => void this.undo(lead, before) });
    });
  }

  private async undo(lead: LeadLine, before: number | null): Promise<void> {
    await toasts.attempt(() => leadsPrioritise(this.campaign, lead.id, { priority: before }));
    this.refresh();
  }

  private onEvent(event: FeedEvent): boolean {
    if (event.entity === "lead") this.list.update((row) => foldLead(row, event));
    return (
      moves(event, this.filter) ||
      event.kind === "LeadTagged" ||
      event.kind === "EntriesErased" ||
      (event.entity === "lead" && event.changes !== null && "status" in event.changes)
    );
  }
}

/** One lead beside the list, live. */
export class LeadQuery extends Query<LeadDetail> {
  constructor(
    readonly campaign: string,
    readonly id: string,
  ) {
    super(() => leadDetailsView(campaign, id), LEAD_GAP);
  }

  /** Follow the feed until the returned function is called. */
  open(): () => void {
    return this.follow(this.campaign, (event) => {
      const isAbout = event.entity_id === this.id || event.changes?.["lead_id"] === this.id;
      return isAbout || ["task", "message", "turn", "erasure"].includes(event.entity);
    });
  }
}
