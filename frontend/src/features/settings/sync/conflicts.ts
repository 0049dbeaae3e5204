import type { ConflictView } from "../../../lib/api/generated";
import { reveal } from "../../../lib/format/hiddenCharacters";
import { linkTo } from "../../../lib/navigation/route";

/** Where people find what a decision is about, by its command; "" if that is nowhere. */

const argument = (conflict: ConflictView, name: string): string => String(conflict.arguments[name] ?? "");
const campaignOf = (conflict: ConflictView): string => argument(conflict, "campaign_id") || conflict.campaign_id;

const nowhere = (): string => "";
const settings = (section: string) => (): string => `#/settings/${section}`;
const lead = (conflict: ConflictView): string => linkTo(campaignOf(conflict), "leads", argument(conflict, "lead_id"));
const review = (conflict: ConflictView): string => linkTo(campaignOf(conflict), "review", argument(conflict, "message_id"));
const screen = (id: "run" | "leads" | "tasks" | "sequence") => (conflict: ConflictView): string => linkTo(campaignOf(conflict), id);

const inbox = (conflict: ConflictView): string => linkTo(campaignOf(conflict), "inbox");

/** By the noun of the command; a command that leads elsewhere has a row of its own. */
const LINKS: Record<string, (conflict: ConflictView) => string> = {
  artifacts: (conflict) => linkTo(campaignOf(conflict), "artifacts", argument(conflict, "artifact_type"), argument(conflict, "key")),
  campaigns: screen("run"),
  "campaigns.archive": nowhere,
  "campaigns.create": nowhere,
  "campaigns.delete": nowhere,
  "campaigns.edit": (conflict) => `#/campaigns/${campaignOf(conflict)}/setup`,
  "campaigns.unarchive": nowhere,
  consents: settings("drive"),
  keys: settings("keys"),
  "keys.revoke": settings("sync"),
  lead_groups: screen("leads"),
  lead_table: screen("leads"),
  leads: lead,
  models: settings("models"),
  people: lead,
  "people.answer_same": nowhere,
  "people.erase": nowhere,
  "people.take_answer_back": nowhere,
  questions: screen("tasks"),
  rankings: screen("leads"),
  replies: inbox,
  requests: nowhere,
  review,
  scoring: screen("leads"),
  send_words: lead,
  sequences: screen("sequence"),
  skills: settings("skills"),
  soul: settings("voice"),
  tasks: screen("tasks"),
  "workspace.add_do_not_contact": settings("people"),
  "workspace.keep": () => "#/settings",
  "workspace.name_device": settings("sync"),
  "workspace.remove_do_not_contact": settings("people"),
};

/** What a decision that waits on another device means here: one that bears on writing to a lead names them. */
export const waitsThere = ({ device, arguments: { lead_id } }: Pick<ConflictView, "device" | "arguments">): string =>
  `It waits on “${reveal(device)}” for your choice.${lead_id ? " Until then nothing goes out to the person, from any device." : ""}`;

/** Where what it is about is shown; "" if that is nowhere. */
export function linkOf(conflict: ConflictView): string {
  if (conflict.device && conflict.arguments.lead_id) return lead(conflict);
  const [noun = ""] = conflict.command.split(".");
  return (LINKS[conflict.command] ?? LINKS[noun] ?? nowhere)(conflict);
}

/** Columns whose values are codes, and those whose values are written as JSON; all others are texts and numbers. */
const CODES = new Set(["blocked", "review_state", "status", "word"]);
const WRITTEN_AS_JSON = new Set(["value"]);

/** Both sides' values for people; those of a campaign's settings with their names, because a number alone says nothing. */
export function sidesOf(conflict: ConflictView): { mine: string; theirs: string } {
  const shown = conflict.command === "campaigns.edit" ? textOf : onlyValueOf;
  return { mine: shown(conflict.mine), theirs: shown(conflict.theirs) };
}

function onlyValueOf(values: Record<string, unknown>): string {
  return Object.entries(values).map(([column, value]) => valueOf(column, value)).join("; ");
}

function valueOf(column: string, value: unknown): string {
  if (column === "counts") return value ? "the round counts" : "the round does not count";
  const text = textOf(WRITTEN_AS_JSON.has(column) ? parsed(value) : value);
  return CODES.has(column) ? spaced(text) : text;
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return value.map(textOf).join(", ");
  if (typeof value === "object") {
    return Object.entries(value).map(([name, inner]) => `${spaced(name)}: ${textOf(inner)}`).join("; ");
  }
  return String(value as string | number | boolean);
}

/** A long one may have been cut. */
function parsed(value: unknown): unknown {
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

const spaced = (name: string): string => name.replaceAll("_", " ");
