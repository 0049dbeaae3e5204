import type { DifferenceView, GroupDifference, StepChange, TemplateCheck, RequestedSequence, RequestedStep } from "../../lib/api/generated";
import { count, plural } from "../../lib/format/numbers";
import { doubtSentences } from "../../lib/format/placeholders";
import { conditionWords } from "../../lib/campaign/conditions";

/** What a step is called; messages are told apart by their number. */
export function titleOf(steps: readonly RequestedStep[], index: number): string {
  const step = steps[index];
  if (step === undefined) return "";
  if (step.kind === "visit") return "View the profile";
  if (step.kind === "invitation") return step.template.trim() === "" ? "Invite without a note" : "Invite with a note";
  if (step.kind === "wait") return `Wait ${plural(step.after_days, "day")}`;
  if (step.kind === "end") return "End";
  const messages = steps.filter((step) => step.kind === "message").length;
  const position = steps.slice(0, index + 1).filter((step) => step.kind === "message").length;
  return messages === 1 ? "Message" : `Message ${position}`;
}

/** A variant's letter; a new one gets its own when the change is applied. */
export function variantTitle(step: RequestedStep, position: number): string {
  return position === 0 ? "A" : step.variants[position - 1]?.key.toUpperCase() || "New";
}

const GONE: Record<string, string> = { invitation: "the invitation", visit: "the profile view", wait: "a wait", end: "the end" };

/** The same by the step's key; a step that is not there any more is called by its kind. */
export function titleByKey(steps: readonly RequestedStep[], key: string, kind = "message"): string {
  const index = steps.findIndex((step) => step.key === key);
  if (index >= 0) return titleOf(steps, index);
  return GONE[kind] ?? "a message";
}

/** What is waited for before a step. */
export function waitBefore(sequence: RequestedSequence, index: number): string {
  const step = sequence.steps[index];
  const before = sequence.steps[index - 1];
  if (step === undefined || before === undefined) return "";
  if (step.only_if.length > 0) return step.kind === "message" && step.after_days > 0 ? `${plural(step.after_days, "day")} later, if there is no reply` : "";
  if (step.kind === "wait" || step.kind === "end") return "";
  if (before.kind === "wait") return step.kind === "message" && step.after_days > 0 ? `then ${plural(step.after_days, "day")} more` : "";
  if (step.kind === "invitation") return "right away, within working hours";
  const days = step.after_days === 0 ? "immediately" : `${plural(step.after_days, "day")} later`;
  if (step.kind === "message" && before.kind === "invitation")
    return `until accepted, at most ${plural(sequence.accept_within_days, "day")}; then ${days}`;
  return before.kind === "message" ? `${days}, if there is no reply` : days;
}

const names = (counts: Record<string, number>): [string, number][] =>
  Object.entries(counts).sort(([, people], [, other]) => other - people);

/** What a template becomes over all people, in sentences. */
export function checkSentences(check: TemplateCheck): { text: string; bad: boolean }[] {
  if (check.problem) return [{ text: check.problem, bad: true }];
  const sentences = [
    {
      text: `Longest for ${plural(check.people, "person", "people")}: ${count(check.longest)} of ${count(check.limit)} characters.`,
      bad: false,
    },
  ];
  if (check.too_long > 0) sentences.push({ text: `${count(check.too_long)} are too long.`, bad: true });
  sentences.push(...doubtSentences(check.doubtful).map((sentence) => ({ text: sentence, bad: true })));
  for (const [name, n] of names(check.missing))
    sentences.push({ text: `${plural(n, "person has", "people have")} no {${name}}. You will be asked about each, or write {${name}|other words}.`, bad: true });
  for (const [name, n] of names(check.otherwise))
    sentences.push({ text: `${plural(n, "person has", "people have")} no {${name}} and get the fallback.`, bad: false });
  return sentences;
}

/** The one line of consequence before a change. */
export function consequence(difference: DifferenceView, before: RequestedSequence): string {
  const parts: string[] = [];
  const finish = difference.groups.filter(finishes).reduce((sum, group) => sum + group.people, 0);
  if (finish > 0) parts.push(`${plural(finish, "person finishes", "people finish")} for good: not connected`);
  if (difference.texts_again > 0) parts.push(`${plural(difference.texts_again, "message")} rewritten`);
  if (difference.approvals_fall > 0) parts.push(`${plural(difference.approvals_fall, "approval")} withdrawn; the message returns to Review`);
  if (difference.restored > 0) parts.push(`${plural(difference.restored, "earlier message")} ${difference.restored === 1 ? "waits" : "wait"} in Review again`);
  if (difference.in_flight > 0) parts.push(`${plural(difference.in_flight, "send")} under way ${difference.in_flight === 1 ? "stays" : "stay"} as ${difference.in_flight === 1 ? "it is" : "they are"}`);
  if (difference.untouched > 0)
    parts.push(`${plural(difference.untouched, "person is", "people are")} past it or unaffected`);
  if (difference.groups.some((group) => group.concerned && endsSome(group, before, difference.steps))) parts.push("an undo does not bring back whoever finishes by then");
  return parts.join(" · ");
}

/** How many meet new conditions and get which variant, a line for each step in which that differs. */
export function shares(difference: DifferenceView): string[] {
  const titled = (key: string) => titleByKey(difference.steps.steps, key);
  const conditions = difference.conditions.map((share) => {
    const later = share.later > 0 ? `, ${count(share.later)} not decided yet` : "";
    return `${titled(share.step)}: ${count(share.yes)} match, ${count(share.no)} do not${later}`;
  });
  const steps = [...new Set(difference.variants.map((share) => share.step))];
  const variants = steps.map((step) => {
    const parts = difference.variants
      .filter((share) => share.step === step)
      .map((share) => `${share.variant.toUpperCase()} for ${count(share.people)}${share.others > 0 ? ` (${count(share.others)} would have got another)` : ""}`);
    return `${titled(step)}: ${parts.join(", ")}`;
  });
  return [...conditions, ...variants];
}

/** Whether the change ends their sequence, as a message needs a connection. */
const finishes = (group: GroupDifference): boolean => group.next_after === "not_connected" && group.next !== "not_connected";

/** Whether somebody of the group may finish sooner by the change. */
const endsSome = (group: GroupDifference, before: RequestedSequence, after: RequestedSequence): boolean =>
  finishes(group) ||
  (group.next_after === "" && group.next !== "") ||
  (group.waits_change && (after.accept_within_days < before.accept_within_days || after.final_wait_days < before.final_wait_days));

/** Where people of a group stand now. */
export function whereNow(group: GroupDifference, before: RequestedSequence): string {
  if (group.standing === "unplanned") return "Not started";
  if (group.next === "") return group.standing === "over" ? "Finished, or replied" : "Waiting for a last reply";
  if (group.next === "not_connected") return "Not connected";
  return `${group.standing === "held" ? "Held before" : "Before"} ${titleByKey(before.steps, group.next)}`;
}

/** What differs for them, in sentences. */
export function whatDiffers(group: GroupDifference, before: RequestedSequence, difference: DifferenceView): string[] {
  const after = difference.steps;
  const lines = group.changes.map((change) => told(change, before, after));
  if (finishes(group)) lines.push("they finish: not connected");
  if (group.waits_change)
    lines.push(`${plural(after.accept_within_days, "day")} to accept, ${plural(after.final_wait_days, "day")} for a last reply`);
  if (group.texts_again > 0) {
    const fall = group.approvals_fall > 0 ? `, ${plural(group.approvals_fall, "approval")} gone` : "";
    lines.push(`${plural(group.texts_again, "message")} rewritten${fall}`);
  }
  return lines;
}

function told(change: StepChange, before: RequestedSequence, after: RequestedSequence): string {
  const is = titleByKey(after.steps, change.key, change.kind);
  const was = titleByKey(before.steps, change.key, change.kind);
  if (change.kind === "wait" && change.change !== "added" && change.change !== "removed")
    return `wait ${plural(change.days, "day")} instead of ${count(change.days_before)}`;
  if (change.kind === "wait") return change.change === "added" ? `wait ${plural(change.days, "day")} more` : `no wait of ${plural(change.days, "day")}`;
  if (change.kind === "end" && change.change !== "condition") return change.change === "added" ? "an end before what follows" : "no end before what follows";
  switch (change.change) {
    case "added":
      return `get ${is}${change.days > 0 ? ` after ${plural(change.days, "day")}` : ""}`;
    case "removed":
      return `do not get ${was}`;
    case "moved":
      return `${is} earlier`;
    case "condition": {
      const now = after.steps.find((step) => step.key === change.key)?.only_if ?? [];
      return now.length === 0 ? `${is} in any case` : `${is} only if ${now.map(conditionWords).join(" and ")}`;
    }
    case "text":
      return `${is} with the new words`;
    case "wait":
      return `${is} after ${plural(change.days, "day")} instead of ${count(change.days_before)}`;
  }
}
