import { SOURCE_WORDS } from "../api/generated";
import type { Said } from "../api/generated";

type Origin = Pick<Said, "campaign" | "source">;

/** Whether another campaign than the one that shows a conversation has a part in it, so that each message names its own. */
export const spansCampaigns = (messages: readonly Pick<Said, "campaign_id">[], shownBy: string): boolean => messages.some((message) => message.campaign_id !== shownBy);

/** Through which campaign and by what a message is known: “Water founders” · reported by you; "" where nothing needs to be said. */
export const originOf = (message: Origin, namesCampaign: boolean): string =>
  [namesCampaign ? `“${message.campaign}”` : "", SOURCE_WORDS[message.source]].filter((part) => part !== "").join(" · ");
