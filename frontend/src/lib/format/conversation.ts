import { SOURCE_WORDS } from "../api/generated";
import type { Said } from "../api/generated";

type Origin = Pick<Said, "campaign_id" | "campaign" | "source">;

/** Whether more than one campaign has a part in a conversation, so that each message is shown with its own. */
export const spansCampaigns = (messages: readonly Origin[]): boolean => new Set(messages.map((message) => message.campaign_id)).size > 1;

/** Through which campaign and by what a message is known: “Water founders” · reported by you; "" where nothing needs to be said. */
export const originOf = (message: Origin, namesCampaign: boolean): string =>
  [namesCampaign ? `“${message.campaign}”` : "", SOURCE_WORDS[message.source]].filter((part) => part !== "").join(" · ");
