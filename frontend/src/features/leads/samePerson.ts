import { readable } from "../../lib/format/webAddress";
import type { AnswersGiven, Contact, IdentifiedLead, IdentifiedPerson, SamePersonAnswer, SamePersonQuestion } from "../../lib/api/generated";
import { plural } from "../../lib/format/numbers";

const CONTACT: Record<Contact, string> = {
  nothing: "not contacted yet",
  planned: "planned",
  invited: "invited",
  connected: "connected",
  "written to": "written to",
  replied: "replied",
  refused: "said no",
};

/** "Water founders: invited": where somebody is a lead, and how far that came. */
export const placeOf = (lead: IdentifiedLead): string => `${lead.campaign_name}: ${CONTACT[lead.contact]}`;

export interface Detail {
  label: string;
  /** What each person has there, in their order; empty for nothing. */
  values: string[];
  /** Whether it tells them apart. */
  differs: boolean;
}

/** A profile's address without what all have. */
export const plainAddress = (url: string): string => url.replace(/^https:\/\/(www\.)?/, "");

const FIELDS: [string, (lead: IdentifiedLead) => string][] = [
  ["Company", (lead) => lead.company],
  ["Title", (lead) => lead.job_title],
  ["Profile", (lead) => readable(plainAddress(lead.profile_url))],
  ["E-mail", (lead) => lead.email],
];

/** What is known of each person, line by line; what nobody has is left out. */
export function detailsOf(people: readonly IdentifiedPerson[]): Detail[] {
  return FIELDS.map(([label, field]) => {
    const values = people.map((person) => person.leads.map(field).find((value) => value !== "") ?? "");
    return { label, values, differs: new Set(values).size > 1 };
  }).filter(({ values }) => values.some((value) => value !== ""));
}

/** All are one person (true), or all are different people (false). */
export const answerOf = (question: SamePersonQuestion, same: boolean): SamePersonAnswer => ({
  account: question.account,
  key: question.key,
  shown: question.shown,
  same,
  together: [],
});

/** Those who are chosen are one person; everybody else is a person of their own. */
export const chosenAnswer = (question: SamePersonQuestion, chosen: ReadonlySet<number>): SamePersonAnswer => ({
  ...answerOf(question, true),
  same: null,
  together: [question.people.flatMap((person, at) => (chosen.has(at) ? person.leads.map((lead) => lead.lead_id) : []))],
});

/** The questions by what they have in common, each kind with its sentence; the most frequent first. */
export function byReason(questions: readonly SamePersonQuestion[]): { reason: string; questions: SamePersonQuestion[] }[] {
  const reasons = [...new Set(questions.map((question) => question.reason))];
  return reasons
    .map((reason) => ({ reason, questions: questions.filter((question) => question.reason === reason) }))
    .sort((kind, other) => other.questions.length - kind.questions.length);
}

type Given = Pick<AnswersGiven, "messages_waiting" | "forbidden">;

/** What an answer did, for people. */
export function answeredWords(answers: readonly SamePersonAnswer[], done: Given): string {
  const outcome = outcomeOf(answers, done);
  const waiting = done.messages_waiting;
  return waiting > 0 ? `${outcome} ${plural(waiting, "approved message waits", "approved messages wait")} in Review again.` : outcome;
}

function outcomeOf(answers: readonly SamePersonAnswer[], { forbidden }: Given): string {
  if (answers.length > 1) return `${plural(answers.length, "question")} answered.`;
  if (Object.keys(forbidden).length > 0) return "They will not be contacted in any campaign.";
  if (answers[0]?.same === true) return "One person from now on.";
  if (answers[0]?.same === false) return "Different people from now on.";
  return "Answered.";
}
