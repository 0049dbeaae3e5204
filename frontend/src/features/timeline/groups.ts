import type { LogName } from "./address";

/** The groups of entries that can be asked for; the server knows what is in each. */
const EVENTS: readonly [string, string][] = [
  ["highlights", "Highlights"],
  ["campaign", "Campaign"],
  ["lead", "Leads"],
  ["task", "Tasks"],
  ["message", "Messages and approvals"],
  ["action", "Actions and incidents"],
  ["turn", "Turns"],
  ["question", "Questions"],
  ["artifact", "Artifacts"],
];
const AUDIT: readonly [string, string][] = [
  ["tool", "Tools"],
  ["proposal", "Replies of the model"],
  ["verification", "Verifications"],
  ["trouble", "Failures"],
];

export const groupsOf = (log: LogName): readonly [string, string][] => (log === "audit" ? AUDIT : EVENTS);
