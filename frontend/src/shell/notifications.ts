import type { EventKind, FeedEvent } from "../lib/api/generated";
import { linkTo } from "../lib/navigation/route";
import type { Route, ScreenId } from "../lib/navigation/route";

/** A notification of something that happened on a screen that is not shown. */
export interface ScreenNotification {
  sentence: string;
  /** Where it can be seen; empty: here. */
  link: string;
  /** It is seen in the assistant. */
  assistant: boolean;
}

/** What is worth a word, and the screens that show it, of which the first is where it leads. */
const NOTIFIED: Partial<Record<EventKind, [sentence: string, screens: ScreenId[]]>> = {
  ReplyReceived: ["A reply arrived.", ["inbox"]],
  InputRequested: ["A question waits for you.", ["today", "run"]],
  IncidentOpened: ["Everything is stopped: the site showed something that needs you.", ["today", "run", "send"]],
  MessageOutcomeUnknown: ["It is not known yet whether a message was sent. Outrider looks again.", ["inbox"]],
  TaskBlocked: ["A task is blocked.", ["tasks"]],
  CampaignCompleted: ["The campaign is complete.", ["today"]],
  CampaignFailed: ["The campaign stopped with an error.", ["today"]],
};

type NotifiedEvent = Pick<FeedEvent, "campaign_id" | "kind" | "actor" | "entity_id" | "changes">;

/**
 * The notification for an event, if it is worth one and the user does not see it already. What the user did is not. `requests` are
 * what the assistant was asked for, `beside` is whether it can be seen.
 */
export function notificationFor(
  event: NotifiedEvent,
  route: Route,
  requests: ReadonlySet<unknown>,
  beside: boolean,
): ScreenNotification | null {
  const [sentence, screens = []] = NOTIFIED[event.kind] ?? [];
  const [screen] = screens;
  if (sentence === undefined || screen === undefined || event.actor === "user") return null;
  const inCampaign = route.name === "campaign" && route.id === event.campaign_id;
  const link = linkTo(event.campaign_id, screen);
  if (requests.has(event.entity_id)) return null; // the conversation shows how a request ended
  if (requests.has(event.changes?.["task_id"])) {
    return inCampaign && beside
      ? null
      : { sentence: "The assistant has a question for you.", link: inCampaign ? "" : link, assistant: true };
  }
  return inCampaign && screens.includes(route.screen) ? null : { sentence, link, assistant: false };
}
