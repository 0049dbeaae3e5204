import type { FeedEvent } from "../wire/generated";
import { linkTo } from "./route";
import type { Route, ScreenId } from "./route";

/** What is worth a word when it happens where the user is not looking. */
export interface News {
  sentence: string;
  /** Where it can be seen. */
  link: string;
}

const WORTH: Record<string, [sentence: string, screen: ScreenId]> = {
  ReplyReceived: ["A reply arrived.", "inbox"],
  InputRequested: ["A question waits for you.", "run"],
  IncidentOpened: ["Everything is stopped: the site showed something that needs you.", "run"],
  MessageOutcomeUnknown: ["A message was sent, but whether it arrived is not known.", "review"],
  TaskBlocked: ["A task is blocked.", "tasks"],
  CampaignCompleted: ["The campaign is complete.", "run"],
  CampaignFailed: ["The campaign stopped because something did not add up.", "run"],
};

/** The news in an event, if it is any, and the user does not see it already. What the user did is no news. */
export function newsOf(event: Pick<FeedEvent, "campaign_id" | "kind" | "actor">, route: Route): News | null {
  const [sentence, screen] = WORTH[event.kind] ?? [];
  if (sentence === undefined || screen === undefined || event.actor === "user") return null;
  const seen = route.name === "campaign" && route.id === event.campaign_id && route.screen === screen;
  return seen ? null : { sentence, link: linkTo(event.campaign_id, screen) };
}
