import type { LeadLine, LeadTable } from "../../lib/api/generated";
import { blockWords } from "../../lib/format/blockWords";
import { ago } from "../../lib/format/dates";
import { stepTitle } from "../../lib/format/stepTitle";
import { capitalised } from "../../lib/format/capitalised";
import { waitsFor, whenOf } from "../../lib/campaign/taskTiming";
import type { SortId } from "./leads";

/** A column beside the name: how wide it is at least (rem), how it grows, and what its header sorts by. */
export interface ColumnKind {
  id: string;
  title: string;
  least: number;
  grows: number;
  sort?: SortId;
}

const KINDS: readonly ColumnKind[] = [
  { id: "title", title: "Title", least: 8.5, grows: 2, sort: "title" },
  { id: "company", title: "Company", least: 7, grows: 1.5, sort: "company" },
  { id: "status", title: "Status", least: 6.5, grows: 0, sort: "status" },
  { id: "step", title: "Step", least: 7, grows: 0.5, sort: "step" },
  { id: "next", title: "Next", least: 9, grows: 1, sort: "next" },
  { id: "activity", title: "Last contact", least: 5.5, grows: 0, sort: "activity" },
  { id: "score", title: "Score", least: 8.5, grows: 1.5, sort: "priority" },
  { id: "tags", title: "Tags", least: 7, grows: 1, sort: "tag" },
  { id: "email", title: "E-mail", least: 11, grows: 1 },
];
const FIELD = "field:";

/** The marks, the handle to drag a row by, and the name, which is never squeezed out. */
const EDGES = 3.5;
const NAME = { least: 11, grows: 2.5 };

export const ARRANGED: LeadTable = {
  columns: ["title", "company", "step", "next", "activity", "score", "tags"],
  sort: "priority",
  backwards: false,
  views: [],
};

/** Every column that may be chosen, custom fields last. */
export const choices = (fields: readonly string[]): ColumnKind[] => [
  ...KINDS,
  ...fields.map((name) => ({ id: FIELD + name, title: fieldTitle(name), least: 8, grows: 1 })),
];

const fieldTitle = (name: string): string => capitalised(name.replaceAll("_", " "));

/** The chosen columns from left to right; one that nobody knows is left out. */
export function chosen(ids: readonly string[]): ColumnKind[] {
  const fields = ids.filter((id) => id.startsWith(FIELD)).map((id) => id.slice(FIELD.length));
  const available = choices(fields);
  return ids.flatMap((id) => available.find((column) => column.id === id) ?? []);
}

/** What stands under the name when it has no column of its own. */
const UNDER_NAME: ReadonlySet<string> = new Set(["title", "company"]);

/** The columns that a table of this width (rem) has room for, in their order. What stands under the name anyway goes first, then from the right. */
export function fitting(columns: readonly ColumnKind[], width: number): ColumnKind[] {
  const byImportance = [...columns.filter((column) => !UNDER_NAME.has(column.id)), ...columns.filter((column) => UNDER_NAME.has(column.id))];
  const fittingColumns = byImportance.reduce<ColumnKind[]>((some, column) => (layout([...some, column]).least > width ? some : [...some, column]), []);
  return columns.filter((column) => fittingColumns.includes(column));
}

/**
 * The columns of a table of this width (rem). Those that the user chose are all there, and scrolled to; of the ones that Outrider
 * came with, and beside an open lead, which has it all, one is rather left out, and the tags before there are any.
 */
export function shown(ids: readonly string[], width: number, { beside = false, tags = true } = {}): ColumnKind[] {
  const own = ids.join() !== ARRANGED.columns.join();
  const columns = chosen(ids).filter((column) => own || tags || column.id !== "tags");
  return width > 0 && (beside || !own) ? fitting(columns, width) : columns;
}

/** The columns as CSS has them, and below which width (rem) the table scrolls sideways. */
export function layout(columns: readonly ColumnKind[]): { template: string; least: number } {
  const tracks = [NAME, ...columns].map(({ least, grows }) => (grows ? `minmax(${least}rem, ${grows}fr)` : `${least}rem`));
  const gaps = 0.75 * (columns.length + 2);
  return {
    template: `1.5rem 1.25rem ${tracks.join(" ")}`,
    least: [NAME, ...columns].reduce((sum, column) => sum + column.least, EDGES + gaps),
  };
}

/** The columns after one was moved by so many places. */
export function movedColumn(ids: readonly string[], id: string, by: number): string[] {
  const at = ids.indexOf(id);
  const to = Math.max(0, Math.min(ids.length - 1, at + by));
  const rest = ids.filter((other) => other !== id);
  return at < 0 ? [...ids] : [...rest.slice(0, to), id, ...rest.slice(to)];
}

/** "2 of 4 · Message 1": where the lead stands in the sequence. */
export function stepOf(lead: LeadLine, titles: Readonly<Record<string, string>>): string {
  if (lead.finished) return `Done: ${lead.finished}`;
  return lead.step_number === 0 ? "" : `${lead.step_number} of ${lead.steps} · ${stepTitle(lead.step, titles)}`;
}

const ENDED: ReadonlySet<string> = new Set(["do_not_contact", "skipped", "taken_over", "answered_elsewhere"]);

/** Why nothing goes to somebody who is known from elsewhere, or of whom it is asked who they are; empty for everybody else. */
export function heldBy(lead: LeadLine): "" | "Same person?" | "Here twice" | "In touch before" | "With another campaign" {
  if (!lead.note.held || lead.finished || ENDED.has(lead.blocked)) return "";
  if (lead.note.doubt) return "Same person?";
  if (lead.note.before) return "In touch before";
  return lead.note.here ? "Here twice" : "With another campaign";
}

/** What comes next for a lead, and when; in words. */
export function nextOf(lead: LeadLine, now: number): { what: string; when: string; blocked: boolean } {
  const obstacle = heldBy(lead);
  if (obstacle) return { what: obstacle, when: "", blocked: true };
  if (lead.blocked) return { what: blockWords(lead.blocked), when: "", blocked: true };
  if (lead.finished || lead.task_status === "done") return { what: "", when: "", blocked: false };
  if (lead.below_least_score) return { what: blockWords("below_least_score"), when: "", blocked: true };
  if (lead.task_status === null || lead.needs === null) return { what: "Waiting", when: "", blocked: false };
  if (lead.task_status === "blocked") return { what: "Needs you: see Tasks", when: "", blocked: true };
  if (lead.task_status === "cancelled") return { what: "Cancelled", when: "", blocked: true };
  const task = { status: lead.task_status, needs: lead.needs, ready_at: lead.ready_at, source: "campaign" };
  const what = waitsFor(task, now).replace(/^(Next|Later): /, "");
  const when = lead.needs === "approval" || lead.needs === "input" ? "" : whenOf(task, [], now).text;
  return { what: capitalised(what), when, blocked: false };
}

export const lastContact = (lead: LeadLine, now: number): string => (lead.active_at === null ? "" : ago(now - lead.active_at));
