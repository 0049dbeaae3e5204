import type { Query } from "../../lib/api/client";
import type { FeedEvent, LeadLine, LeadQuery, LeadStatus, LeadView } from "../../lib/api/generated";
import { foldRow } from "../../lib/live/fold";

export const SORTS = [
  { id: "priority", title: "Priority" },
  { id: "name", title: "Name" },
  { id: "company", title: "Company" },
  { id: "title", title: "Title" },
  { id: "status", title: "Status" },
  { id: "activity", title: "Last activity" },
  { id: "position", title: "Order of import" },
  { id: "step", title: "Step" },
  { id: "next", title: "Next" },
  { id: "tag", title: "Tags" },
] as const;

export type SortId = (typeof SORTS)[number]["id"];

/** What the list is narrowed to and how it is sorted; "" and false: not asked for. */
export type Filter = Omit<LeadView, "name" | "status"> & { status: LeadStatus | "" };

export const ALL: Filter = {
  sort: "priority",
  backwards: false,
  status: "",
  tag: "",
  company: "",
  field: "",
  value: "",
  manual: false,
  blocked: false,
  person: "",
  unsure: false,
  text: "",
};

/** The filter as the server takes it; what is not asked for is left out. */
export const asked = (filter: Filter): Query<LeadQuery> =>
  Object.fromEntries(Object.entries({ ...filter, text: filter.text.trim() }).map(([name, value]) => [name, value || null]));

/** Whether the list is narrowed at all. */
export const narrowed = (filter: Filter): boolean => !isSame({ ...filter, text: filter.text.trim() }, { ...ALL, sort: filter.sort, backwards: filter.backwards });

/** The filter and the order that a saved view stands for. */
export const filterOf = ({ name: _, status, ...rest }: LeadView): Filter => ({ ...rest, status: status ?? "" });

/** The view that saves this filter and order by that name. */
export const viewOf = (name: string, filter: Filter): LeadView => ({
  ...filter,
  name: name.trim(),
  status: filter.status === "" ? null : filter.status,
  text: filter.text.trim(),
});

/** Whether both list the same leads in the same order. */
export const isSame = (filter: Filter, other: Filter): boolean =>
  (Object.keys(ALL) as (keyof Filter)[]).every((name) => filter[name] === other[name]);

const ACTS = ["invited_at", "accepted_at", "last_sent_at", "replied_at"];

/** Fold an event into a row of the list. What passed between the two people is one time here. */
export function foldLead(row: LeadLine, event: FeedEvent): LeadLine {
  let folded = foldRow(row, event);
  if (event.entity_id !== row.id || event.changes === null) return folded;
  // The reasons of the score before; the new ones are loaded.
  if ("weight_score" in event.changes) folded = { ...folded, score_reasons: [] };
  const times = ACTS.map((name) => event.changes?.[name]).filter((at) => typeof at === "number");
  const active = Math.max(row.active_at ?? 0, ...times);
  return active === (row.active_at ?? 0) ? folded : { ...folded, active_at: active };
}

type Narrowing = Exclude<keyof Filter, "sort" | "backwards">;

/** The columns of a lead whose change may bring it into a list that is narrowed so, or take it out. */
const NARROWED_BY: Record<Narrowing, readonly string[]> = {
  status: ["status"],
  tag: ["tags"],
  text: ["tags"],
  manual: ["priority_override"],
  unsure: ["greeting_name"],
  // Of these, `moves` looks at every change anyway, or only a file changes them.
  blocked: [],
  company: [],
  field: [],
  value: [],
  person: [],
};

const PRIORITY = ["weight_score", "priority_override", "profile_updated_at"];
const SORTED_BY: Partial<Record<SortId, readonly string[]>> = {
  priority: PRIORITY,
  status: [...PRIORITY, "status"],
  activity: ACTS,
  tag: ["tags"],
};

/** Whether an event may move rows of the list, or make some come or go. */
export function moves(event: FeedEvent, filter: Filter): boolean {
  if (event.kind === "ImportUndone" || event.kind === "ImportFinished") return true; // people went, or came back
  if (event.entity === "task") return true; // what is next, of some lead
  if (event.entity !== "lead") return false;
  if (event.kind === "LeadImported" || event.kind === "LeadMerged" || event.changes === null) return true;
  const narrowings = (Object.keys(NARROWED_BY) as Narrowing[]).filter((name) => filter[name]);
  const columns = ["blocked", "sequence_step", "finished", ...(SORTED_BY[filter.sort] ?? []), ...narrowings.flatMap((name) => NARROWED_BY[name])];
  return Object.keys(event.changes).some((name) => columns.includes(name));
}

/** What of a lead holds them in a campaign, and what of a campaign ends that. */
const HOLDING: Partial<Record<string, string[]>> = {
  lead: ["claimed_at", "contact_anyway", "blocked", "finished"],
  campaign: ["status", "archived_at", "deleted_at"],
};

/** Whether an event of any campaign may change with which one somebody is, or who they are the same person as. */
export const reassigns = ({ entity, changes }: FeedEvent): boolean =>
  entity === "identity_answer" || (HOLDING[entity]?.some((name) => changes === null || name in changes) ?? false);

/** A row's neighbours after it was moved from one place to another, and whether that was upwards. */
export function placing(
  from: number,
  to: number,
  idAt: (index: number) => string | null,
): { above: string | null; below: string | null; upwards: boolean } {
  const upwards = to < from;
  return upwards
    ? { above: idAt(to - 1), below: idAt(to), upwards }
    : { above: idAt(to), below: idAt(to + 1), upwards };
}
