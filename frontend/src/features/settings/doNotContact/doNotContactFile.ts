import type { DoNotContactImportRow, DoNotContactPreview, ForbiddenPerson, ListColumn, UndoneDoNotContactImport } from "../../../lib/api/generated";
import { count, plural } from "../../../lib/format/numbers";

/** What an entry says without its kind: a company's name, a domain, or a person's address. */
export const entryValue = (key: string): string => key.replace(/^(company|domain):/u, "");

/** What an entry is called in the list. */
export function entryTitle({ name, member_key }: Pick<ForbiddenPerson, "name" | "member_key">): string {
  const erased = member_key.startsWith("forgotten:");
  if (name && !(erased && name === "(erased)")) return name;
  return erased ? "An erased person" : entryValue(member_key);
}

type Listed = Pick<DoNotContactPreview, "people" | "companies" | "domains">;

/** Whom rows put on the list: "2 people, 1 company", or "nobody". */
export function listedWords({ people, companies, domains }: Listed): string {
  const words = [
    people > 0 ? plural(people, "person", "people") : "",
    companies > 0 ? plural(companies, "company", "companies") : "",
    domains > 0 ? plural(domains, "domain") : "",
  ].filter(Boolean);
  return words.join(", ") || "nobody";
}

/** The rows that add nobody: "3 already on the list, 1 rejected"; empty if there are none. */
export function otherRowsWords({ already, rejected }: Pick<DoNotContactPreview, "already" | "rejected">): string {
  const words = [already > 0 ? `${count(already)} already on the list` : "", rejected > 0 ? `${count(rejected)} rejected` : ""];
  return words.filter(Boolean).join(", ");
}

/** What the file stops: "4 leads stop, 2 approved messages are withdrawn". */
export function stoppedWords({ leads_stopped, messages_withdrawn }: Pick<DoNotContactPreview, "leads_stopped" | "messages_withdrawn">): string {
  if (leads_stopped === 0) return "No lead of your campaigns is affected";
  const leads = `${plural(leads_stopped, "lead")} ${leads_stopped === 1 ? "stops" : "stop"}`;
  const messages = `${plural(messages_withdrawn, "approved message")} ${messages_withdrawn === 1 ? "is" : "are"} withdrawn`;
  return messages_withdrawn > 0 ? `${leads}, ${messages}` : leads;
}

const ROLES: Record<NonNullable<ListColumn["role"]>, string> = {
  kind: "kind",
  value: "entry",
  email: "e-mail",
  profile: "profile",
  domain: "domain",
  company: "company",
  name: "name",
  first_name: "first name",
  last_name: "last name",
  reason: "reason",
  added_on: "added on",
  flag: "is on the list",
};

/** How the columns of the file are read; those from which nothing is read are left out. */
export const columnsRead = (columns: readonly ListColumn[]): { name: string; role: string }[] =>
  columns.flatMap(({ name, role }) => (role === null ? [] : [{ name, role: ROLES[role] }]));

/** What undoing an import does, in a sentence. */
export function undoWords({ entries, released, still_held }: UndoneDoNotContactImport): string {
  const stillHeldText = still_held > 0 ? `, ${plural(still_held, "lead")} held by other entries` : "";
  return `${plural(entries, "entry", "entries")} off the list, ${plural(released, "lead")} may be contacted again${stillHeldText}.`;
}

/** What undoing does not bring back; empty if that is nothing. */
export function notTakenBack({ sent, withdrawn, ended }: UndoneDoNotContactImport): string {
  const words = [
    sent > 0 ? `${plural(sent, "message")} already sent` : "",
    withdrawn > 0 ? `${plural(withdrawn, "withdrawn message")}, to be written again` : "",
    ended > 0 ? `${plural(ended, "ended task")}` : "",
  ].filter(Boolean);
  return words.length > 0 ? `Not taken back: ${words.join("; ")}.` : "";
}

/** What became of an import. */
export function importWords(row: DoNotContactImportRow): string {
  if (row.undone_at !== null) return `Undone: ${plural(row.entries_removed, "entry", "entries")} removed`;
  if (row.finished_at === null) return "Interrupted. Import the file again; nobody is listed twice.";
  const others = otherRowsWords(row);
  return `${listedWords(row)} added${others ? ` · ${others}` : ""}${row.leads_stopped > 0 ? ` · ${plural(row.leads_stopped, "lead")} stopped` : ""}`;
}
