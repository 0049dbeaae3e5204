import type { ConflictView } from "../../../lib/api/generated";
import { linkTo } from "../../../lib/navigation/route";

/** Where people find what a decision is about, by its command; "" if that is nowhere. */

const argument = (conflict: ConflictView, name: string): string => String(conflict.arguments[name] ?? "");
const campaignOf = (conflict: ConflictView): string => argument(conflict, "campaign_id") || conflict.campaign_id;

const nowhere = (): string => "";
const settings = (section: string) => (): string => `#/settings/${section}`;
const lead = (conflict: ConflictView): string => linkTo(campaignOf(conflict), "leads", argument(conflict, "lead_id"));
const review = (conflict: ConflictView): string => linkTo(campaignOf(conflict), "review", argument(conflict, "message_id"));
const screen = (id: "run" | "leads" | "tasks" | "sequence") => (conflict: ConflictView): string => linkTo(campaignOf(conflict), id);

const LINKS: Record<string, (conflict: ConflictView) => string> = {
  "questions.answer": screen("tasks"),
  "review.approve": review,
  "review.edit": review,
  "review.reject": review,
  "review.restore": review,
  "review.withdraw": review,
  "campaigns.change_status": screen("run"),
  "people.answer_same": nowhere,
  "people.contact_anyway": lead,
  "people.erase": nowhere,
  "people.leave": lead,
  "people.move_here": lead,
  "people.take_answer_back": nowhere,
  "replies.answer": (conflict) => linkTo(campaignOf(conflict), "inbox"),
  "replies.found": (conflict) => linkTo(campaignOf(conflict), "inbox"),
  "replies.classify": (conflict) => linkTo(campaignOf(conflict), "inbox"),
  "replies.label": (conflict) => linkTo(campaignOf(conflict), "inbox"),
  "replies.snooze": (conflict) => linkTo(campaignOf(conflict), "inbox"),
  "replies.take_back": (conflict) => linkTo(campaignOf(conflict), "inbox"),
  "tasks.cancel": screen("tasks"),
  "tasks.retry": screen("tasks"),
  "campaigns.clear_incident": screen("run"),
  "artifacts.keep": (conflict) => linkTo(campaignOf(conflict), "artifacts", argument(conflict, "artifact_type"), argument(conflict, "key")),
  "consents.give": settings("drive"),
  "consents.withdraw": settings("drive"),
  "campaigns.archive": nowhere,
  "campaigns.create": nowhere,
  "campaigns.delete": nowhere,
  "campaigns.unarchive": nowhere,
  "campaigns.edit": (conflict) => `#/campaigns/${campaignOf(conflict)}/setup`,
  "lead_groups.contact_again": screen("leads"),
  "lead_groups.forbid": screen("leads"),
  "lead_groups.move": screen("leads"),
  "lead_groups.prioritise": screen("leads"),
  "lead_groups.skip": screen("leads"),
  "lead_groups.tag": screen("leads"),
  "lead_groups.take_up": screen("leads"),
  "lead_groups.untag": screen("leads"),
  "lead_table.keep": screen("leads"),
  "leads.contact_again": lead,
  "leads.choose_greeting": lead,
  "leads.do_not_contact": lead,
  "leads.invitation_withdrawn": lead,
  "leads.note": lead,
  "leads.place": lead,
  "leads.prioritise": lead,
  "leads.tag": lead,
  "keys.allow": settings("keys"),
  "keys.forget": settings("keys"),
  "keys.keep": settings("keys"),
  "keys.make_recovery_kit": settings("keys"),
  "keys.start_anew": settings("keys"),
  "keys.revoke": settings("sync"),
  "models.choose": settings("models"),
  "models.remove": settings("models"),
  "models.save": settings("models"),
  "tasks.add_commitment": nowhere,
  "tasks.remove_commitment": nowhere,
  "requests.begin": nowhere,
  "requests.record_plain_command": nowhere,
  "requests.delete": nowhere,
  "requests.erase": nowhere,
  "requests.restore": nowhere,
  "send_words.say": lead,
  "send_words.settle": lead,
  "send_words.take_back": lead,
  "sequences.change": screen("sequence"),
  "rankings.put_back": screen("leads"),
  "rankings.save": screen("leads"),
  "rankings.take_back": screen("leads"),
  "scoring.adopt": screen("leads"),
  "scoring.again": screen("leads"),
  "skills.approve": settings("skills"),
  "skills.disable": settings("skills"),
  "skills.enable": settings("skills"),
  "skills.install": settings("skills"),
  "skills.remove": settings("skills"),
  "skills.restore": settings("skills"),
  "skills.update_builtin": settings("skills"),
  "soul.save": settings("voice"),
  "workspace.add_do_not_contact": settings("people"),
  "workspace.keep": () => "#/settings",
  "workspace.name_device": settings("sync"),
  "workspace.remove_do_not_contact": settings("people"),
};

/** Where what it is about is shown; "" if that is nowhere. */
export const linkOf = (conflict: ConflictView): string => (conflict.device && conflict.arguments.lead_id ? lead : LINKS[conflict.command] ?? nowhere)(conflict);

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
