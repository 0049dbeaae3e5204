import { unsendable } from "../../lib/format/hiddenCharacters";
import { count, plural } from "../../lib/format/numbers";
import { doubtSentences } from "../../lib/format/placeholders";
import { peopleIn } from "../../lib/leads/leadFile";
import { areOpposite, isWhole } from "../../lib/campaign/conditions";
import type { CampaignPreview, FileScores, ImportPreview, PreviewedStep, RequestedStep } from "../../lib/api/generated";

/** The steps of the wizard, in the order in which one thinks: who they are, what one wants from them, the messages, how many when. */
export const STEPS = [
  { id: "leads", title: "Leads" },
  { id: "goal", title: "Goal" },
  { id: "sequence", title: "Sequence" },
  { id: "limits", title: "Limits and hours" },
] as const;

export type StepId = (typeof STEPS)[number]["id"];

/** A campaign in the draft, as far as it can be wrong. */
export interface DraftState {
  name: string;
  goal: string;
  topic: string;
  lacksConsent: boolean;
  leads: "none" | "later" | "unreadable" | "nobody" | "file";
  steps: RequestedStep[];
  preview: CampaignPreview | null;
  /** What is wrong with its limits, by field. */
  limits: Record<string, string>;
}

/** What is wrong in one step, by field; nothing when it can be left. */
export function problems(draft: DraftState, step: StepId): Record<string, string> {
  const problems: Record<string, string> = {};
  if (step === "goal") {
    if (draft.name.trim() === "") problems["name"] = "Enter a name.";
    if (draft.goal.trim() === "") problems["goal"] = "Say what you want from them; your leads are scored by it.";
    if (unsendable(draft.topic)) problems["topic"] = unsendable(draft.topic);
  }
  if (step === "limits") Object.assign(problems, draft.limits);
  if (step === "limits" && draft.lacksConsent) problems["consent"] = "Read this and consent, or choose another way.";
  if (step === "leads" && draft.leads === "none") problems["leads"] = "Choose a file, or choose to add leads later.";
  if (step === "leads" && draft.leads === "unreadable") problems["leads"] = "Choose the column with the name.";
  if (step === "leads" && draft.leads === "nobody") problems["leads"] = "Nobody in the file matches your filter.";
  if (step === "sequence") {
    if (draft.topic.trim() === "" && draft.steps.some(needsTopic)) problems["topic"] = "A message says {topic}, and you have not said what it is about.";
    if (draft.steps.length === 0) problems["steps"] = "Add a step.";
    else if (!draft.steps.every((step) => step.only_if.every(isWhole))) problems["steps"] = "A condition is not finished: choose what it compares with, or remove it.";
    else if (draft.preview?.problem) problems["steps"] = draft.preview.problem;
    else if (draft.preview?.people.some((person) => person.steps.some((step) => step.problem !== "")))
      problems["steps"] = "One of the messages cannot be sent as it is.";
  }
  return problems;
}

/** Whether its text cannot do without what it is about. */
export const needsTopic = (step: RequestedStep): boolean =>
  [step.template, ...step.variants.map((variant) => variant.template)].some((text) => /\{\s*topic\s*\}/.test(text));

/** The first step that something is wrong in; null when all is well. */
export const firstProblem = (draft: DraftState): StepId | null =>
  STEPS.find((step) => Object.keys(problems(draft, step.id)).length > 0)?.id ?? null;

/** A step that is new. */
export const newStep = (kind: RequestedStep["kind"], after_days: number, template: string): RequestedStep => ({
  key: "",
  kind,
  after_days,
  template,
  variants: [],
  only_if: [],
});

/** The steps after one was added: an invitation goes first, a message last. */
export function withStep(steps: readonly RequestedStep[], kind: RequestedStep["kind"], template: string): RequestedStep[] {
  if (kind === "invitation") return [newStep(kind, 0, template), ...steps];
  return [...steps, newStep(kind, steps.length === 0 ? 0 : 3, template)];
}

/** What a step is called. */
export const titleOf = (step: RequestedStep): string =>
  step.kind === "invitation" ? "Invitation" : step.kind === "end" ? "End" : "Message";

/** For whom of the file these steps are shown: where there is an invitation, for people who would get it, unless nobody would. */
export function sampleReaders(
  steps: readonly RequestedStep[],
  file: Pick<ImportPreview, "readers" | "readers_to_invite"> | null,
): ImportPreview["readers"] {
  if (file === null) return [];
  const invites = steps.some((step) => step.kind === "invitation");
  return invites && file.readers_to_invite.length > 0 ? file.readers_to_invite : file.readers;
}

/** A message as it reads for somebody. */
export interface ReadMessage extends PreviewedStep {
  name: string;
  company: string;
}

/** One step's message for each of those people; empty while it is not known. */
export function readBy(readers: readonly Pick<ReadMessage, "name" | "company">[], preview: CampaignPreview | null, index: number): ReadMessage[] {
  return readers.flatMap((reader, position) => {
    const previewed = preview?.people[position]?.steps[index];
    return previewed ? [{ ...previewed, ...reader }] : [];
  });
}

/** How many people a file has, and how many of them lack a value. */
type CountedFile = Parameters<typeof peopleIn>[0] & { lacking: Record<string, number>; whole: boolean };

/** What may be a placeholder, and what is not known of people that a message says: of those it is shown for, and of how many in the file. */
export function gaps(
  read: readonly ReadMessage[],
  file: CountedFile | null,
): string[] {
  const lacks = (name: string) => read.filter((message) => message.missing.includes(name)).map((message) => message.name);
  const names = (read[0]?.uses ?? []).filter((name) => lacks(name).length > 0 || (file?.lacking[name] ?? 0) > 0);
  const lacking = names.map((name) => {
    const braced = `{${name}}`;
    const n = file?.lacking[name] ?? 0;
    const some =
      file === null || n === 0
        ? `It is not known of ${lacks(name).join(", ")}`
        : `${count(n)} of ${file.whole ? "" : "the first "}${count(peopleIn(file))} people have none`;
    return `${braced}: ${some}. You will be asked about each, or write {${name}|other words}.`;
  });
  return [...doubtSentences(read[0]?.doubtful ?? []), ...lacking];
}

/** The variables that the file knows of at least one person; all of them while there is no file. */
export const filledOf = (names: readonly string[], file: Omit<CountedFile, "whole"> | null): string[] =>
  names.filter((name) => file === null || (file.lacking[name] ?? 0) < Math.max(1, peopleIn(file)));

/** Who of the file are contacts already, for whom an invitation makes no sense. */
export function contactsWords(file: Omit<CountedFile, "lacking"> & { contacts: number }): string {
  const { contacts, whole } = file;
  const where = whole ? "in the file" : "in the first rows";
  if (contacts === peopleIn(file)) return `Everyone ${where} is your contact already.`;
  return `${count(contacts)} ${contacts === 1 ? "person" : "people"} ${where} ${contacts === 1 ? "is your contact" : "are your contacts"} already.`;
}

/** How many people would be contacted by a least score, in words. */
export function comingWords({ counts, whole }: FileScores, least: number): string {
  const sum = (some: number[]) => some.reduce((total, n) => total + n, 0);
  const [coming, all] = [sum(counts.slice(least)), sum(counts)];
  return `${count(coming)} of ${plural(all, "person", "people")}${whole ? "" : " among the first rows"} ${coming === 1 ? "has" : "have"} that score or more.`;
}

/** When a step is due, in words. */
export function due(steps: readonly RequestedStep[], index: number): string {
  const step = steps[index];
  if (step === undefined || step.kind === "invitation") return "first";
  if (step.kind === "end") return "nothing more goes out";
  // Nobody gets a step of both branches.
  const together = (other: RequestedStep) => !other.only_if.some((condition) => step.only_if.some((own) => areOpposite(condition, own)));
  const before = steps.slice(0, index).findLast((other) => other.kind !== "end" && together(other));
  const days = step.after_days === 1 ? "a day" : `${step.after_days} days`;
  if (before === undefined) return step.after_days === 0 ? "first" : `${days} after the profile has been viewed`;
  if (before.kind === "invitation") return step.after_days === 0 ? "as soon as the invitation is accepted" : `${days} after the invitation is accepted`;
  return step.after_days === 0 ? "as soon as the previous message is sent" : `${days} after the previous message, if there is no reply`;
}
