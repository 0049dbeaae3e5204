import type { SendQueueView, SessionPerson } from "../../lib/api/generated";
import { plural } from "../../lib/format/numbers";

export type Group = SessionPerson["group"];

/** The headings of the queue, in its order; `singular` is somebody under it. */
const GROUPS: Record<Group, { title: string; singular: string; several: string }> = {
  reports: { title: "Did you send it?", singular: "to report", several: "to report" },
  answers: { title: "Your answers", singular: "answer", several: "answers" },
  messages: { title: "Messages", singular: "message", several: "messages" },
  invitations: { title: "Invitations", singular: "invitation", several: "invitations" },
  checks: { title: "Look for news", singular: "profile to check", several: "profiles to check" },
};

export interface Section {
  title: string;
  people: readonly SessionPerson[];
}

/** The people of the queue under their headings, and those who better wait under the reasons for it. */
export function sections(view: Pick<SendQueueView, "people" | "later">): Section[] {
  const due = (Object.keys(GROUPS) as Group[]).map((group) => ({
    title: GROUPS[group].title,
    people: view.people.filter((person) => person.group === group),
  }));
  const reasons = [...new Set(view.later.map(reasonOf))];
  const later = reasons.map((reason) => ({ title: `Later: ${reason}`, people: view.later.filter((person) => reasonOf(person) === reason) }));
  return [...due, ...later].filter((section) => section.people.length > 0);
}

/** Why nobody else can be written to; what is said of whoever is shown is not repeated, by the name of their campaign either. */
export const heldElse = (reasons: readonly string[], shown: string): string[] =>
  reasons.filter((reason) => shown === "" || (reason !== shown && !reason.endsWith(`: ${shown}`)));

/** The first that speaks against it. */
const reasonOf = (person: SessionPerson): string => person.advice[0]?.sentence ?? "";

/** "2 answers, 4 messages, 1 invitation": what can be done now. */
export const countsInWords = (people: readonly SessionPerson[]): string =>
  (Object.keys(GROUPS) as Group[])
    .map((group) => ({ ...GROUPS[group], count: people.filter((person) => person.group === group).length }))
    .filter(({ count }) => count > 0)
    .map(({ count, singular, several }) => plural(count, singular, several))
    .join(", ");

/** "18 messages, 9 invitations": what is left of today. */
export const leftToday = (used: SendQueueView["used"]): string =>
  used
    .map((allowance) => plural(Math.max(0, allowance.limit - allowance.used), allowance.family === "invite" ? "invitation" : "message"))
    .toReversed()
    .join(", ");
