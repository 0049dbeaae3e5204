import type { FeedEvent } from "../wire/generated";
import { linkTo } from "./route";
import type { Route, ScreenId } from "./route";

/** What is worth a word when it happens where the user is not looking. */
export interface News {
  sentence: string;
  /** Where it can be seen; empty: here. */
  link: string;
  /** It is seen in the assistant. */
  assistant: boolean;
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

type Told = Pick<FeedEvent, "campaign_id" | "kind" | "actor" | "entity_id" | "changes">;

/**
 * The news in an event, if it is any, and the user does not see it already. What the user did is no news. `requests` are
 * what the assistant was asked for, `beside` is whether it can be seen.
 */
export function newsOf(event: Told, route: Route, requests: ReadonlySet<unknown>, beside: boolean): News | null {
  const [sentence, screen] = WORTH[event.kind] ?? [];
  if (sentence === undefined || screen === undefined || event.actor === "user") return null;
  const here = route.name === "campaign" && route.id === event.campaign_id;
  const link = linkTo(event.campaign_id, screen);
  if (requests.has(event.entity_id)) return null; // how a request ended, the conversation tells
  if (requests.has(event.changes?.["task_id"])) {
    return here && beside ? null : { sentence: "The assistant asks you something.", link: here ? "" : link, assistant: true };
  }
  return here && route.screen === screen ? null : { sentence, link, assistant: false };
}
