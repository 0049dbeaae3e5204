import type { CampaignContents } from "../../../lib/api/generated";
import { count } from "../../../lib/format/numbers";

const NOUNS: readonly [keyof CampaignContents, string, string][] = [
  ["people", "person with all that is known of them", "people with all that is known of them"],
  ["texts", "message to them", "messages to them"],
  ["replies", "reply", "replies"],
  ["artifacts", "artifact", "artifacts"],
  ["lines", "line of the conversation with the assistant", "lines of the conversation with the assistant"],
];

/** What is deleted with a campaign, a line each; its settings always are. */
export function deletedContents(contents: CampaignContents): string[] {
  const parts = NOUNS.filter(([name]) => contents[name] > 0).map(([name, singular, plural]) => `${count(contents[name])} ${contents[name] === 1 ? singular : plural}`);
  return [...parts, "its goal, sequence and settings"];
}
