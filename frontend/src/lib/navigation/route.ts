import { BY_HAND } from "../api/generated";

/**
 * The screens of a campaign, in the order of the navigation; `key` goes there after `g`. Those in place "hood" show how the work is
 * done and stand under "Under the hood". `icon` is a path in a box of 16; the palette finds a screen by its `words`, too.
 */
export const SCREENS = [
  { id: "today", title: "Today", key: "o", place: "main", words: "home start", icon: "M2.5 7.5L8 3l5.5 4.5v6h-11z" },
  { id: "review", title: "Review", key: "r", place: "main", words: "approve texts drafts", icon: "M3 8.5l3.2 3L13 4.5" },
  { id: "send", title: "Send", key: "d", place: "main", words: "session linkedin assist hand", icon: "M13.5 2.5l-11 4.2 4.3 2.3 2.4 4.5zM6.8 9l3-3" },
  { id: "inbox", title: "Inbox", key: "i", place: "main", words: "replies conversations compare linkedin export", icon: "M2.5 3.5h11v8H7l-3 2.5v-2.5H2.5z" },
  { id: "leads", title: "Leads", key: "l", place: "main", words: "people import export scoring tags erase", icon: "M8 2.5a2.7 2.7 0 1 1 0 5.4a2.7 2.7 0 1 1 0-5.4zM2.8 13.5c.9-4.2 9.5-4.2 10.4 0" },
  { id: "sequence", title: "Sequence", key: "q", place: "main", words: "steps templates texts variants conditions", icon: "M3 3.5h4v3H3zM9 9.5h4v3H9zM5 6.5V11h4" },
  { id: "insights", title: "Insights", key: "n", place: "main", words: "funnel statistics reply rates report csv export", icon: "M3.5 13V7M8 13V3M12.5 13V9" },
  { id: "setup", title: "Setup", key: "p", place: "main", words: "limits working hours rename archive duplicate delete model", icon: "M2.5 5h6M12 5h1.5M2.5 11H4M7.5 11h6M8.5 3.2h3.5v3.6H8.5zM4 9.2h3.5v3.6H4z" },
  { id: "run", title: "Run", key: "u", place: "hood", words: "turns gates dry run why", icon: "M2 8h3l2-5 2.5 10L11.5 8H14" },
  { id: "tasks", title: "Tasks", key: "t", place: "hood", words: "blocked dropped", icon: "M6.5 4h7M6.5 8h7M6.5 12h7M2.5 4h1M2.5 8h1M2.5 12h1" },
  { id: "artifacts", title: "Artifacts", key: "a", place: "hood", words: "files notes saved", icon: "M4 2.5h5l3 3v8H4zM9 2.5v3h3" },
  { id: "scripts", title: "Scripts", key: "y", place: "hood", words: "python analysis", icon: "M5.5 4.5L2 8l3.5 3.5M10.5 4.5L14 8l-3.5 3.5" },
  { id: "timeline", title: "Timeline", key: "e", place: "hood", words: "history log proof verify export", icon: "M8 2.5a5.5 5.5 0 1 1 0 11a5.5 5.5 0 1 1 0-11zM8 5v3.2l2.2 1.3" },
] as const;

/** Whether the user sends what a campaign on this site writes. */
export const isSentByHand = (site: string): boolean => BY_HAND.includes(site);

/** Those of a campaign on this site: a send session is only for a channel where the user sends. */
export const screensOf = (site: string) => SCREENS.filter((screen) => screen.id !== "send" || isSentByHand(site));

export type ScreenId = (typeof SCREENS)[number]["id"];

/** What is said where an address leads nowhere. */
export const NOTHING_HERE = "There is nothing at this address.";

export type Route =
  | { name: "campaigns" }
  | { name: "unknown" }
  | { name: "wizard" }
  | { name: "send" }
  | { name: "settings"; section: string; part: string }
  | { name: "campaign"; id: string; screen: ScreenId; rest: string[] };

/**
 * What an address's fragment names: "#/", "#/new", "#/send", "#/settings/SECTION/PART", "#/campaigns/ID/SCREEN/REST…". A campaign's settings
 * were "#/settings/limits/ID" once, which is still understood.
 */
export function readRoute(hash: string): Route {
  const [first, second, third, ...rest] = hash
    .replace(/^#?\/?/, "")
    .split("/")
    .map(decoded);
  if (first === "new") return { name: "wizard" };
  if (first === "send") return { name: "send" };
  if (first === "settings" && second === "limits" && third) return { name: "campaign", id: third, screen: "setup", rest: [] };
  if (first === "settings") return { name: "settings", section: second ?? "", part: third ?? "" };
  if (first === "campaigns" && second !== undefined && /^[A-Za-z0-9_-]{1,64}$/.test(second)) {
    const screen = SCREENS.find((candidate) => candidate.id === third)?.id ?? "today";
    return { name: "campaign", id: second, screen, rest };
  }
  return { name: first === "" || (first === "campaigns" && !second) ? "campaigns" : "unknown" };
}

/** Whether this address leads to the screen that is shown. */
export function leadsHere(hash: string, shown: Route): boolean {
  const to = readRoute(hash);
  if (to.name === "campaign" && shown.name === "campaign") return to.id === shown.id && to.screen === shown.screen;
  if (to.name === "settings" && shown.name === "settings") return to.section === shown.section;
  return to.name === shown.name && to.name !== "campaign" && to.name !== "settings";
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The address of a campaign's screen. */
export function linkTo(campaign: string, screen: ScreenId = "today", ...rest: (string | number)[]): string {
  return ["#/campaigns", campaign, screen, ...rest.map((part) => encodeURIComponent(part))].join("/");
}
