/** The screens of a campaign, in the order of the navigation; `key` goes there after `g`. */
export const SCREENS = [
  { id: "run", title: "Run", key: "u" },
  { id: "review", title: "Review", key: "r" },
  { id: "send", title: "Send", key: "d" },
  { id: "tasks", title: "Tasks", key: "t" },
  { id: "leads", title: "Leads", key: "l" },
  { id: "sequence", title: "Sequence", key: "q" },
  { id: "inbox", title: "Inbox", key: "i" },
  { id: "artifacts", title: "Artifacts", key: "a" },
  { id: "timeline", title: "Timeline", key: "e" },
  { id: "insights", title: "Insights", key: "n" },
] as const;

/** Those of a campaign on this site: a send session is only for a channel where the user sends. */
export const screensOf = (site: string) => SCREENS.filter((one) => one.id !== "send" || site === "linkedin_assist");

export type ScreenId = (typeof SCREENS)[number]["id"];

export type Route =
  | { name: "campaigns" }
  | { name: "wizard" }
  | { name: "settings"; section: string; part: string }
  | { name: "campaign"; id: string; screen: ScreenId; rest: string[] };

/** What an address's fragment names: "#/", "#/new", "#/settings/SECTION/PART", "#/campaigns/ID/SCREEN/REST…". */
export function readRoute(hash: string): Route {
  const [first, second, third, ...rest] = hash
    .replace(/^#?\/?/, "")
    .split("/")
    .map(decoded);
  if (first === "new") return { name: "wizard" };
  if (first === "settings") return { name: "settings", section: second ?? "", part: third ?? "" };
  if (first === "campaigns" && second !== undefined && /^[A-Za-z0-9_-]{1,64}$/.test(second)) {
    const screen = SCREENS.find((one) => one.id === third)?.id ?? "run";
    return { name: "campaign", id: second, screen, rest };
  }
  return { name: "campaigns" };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The address of a campaign's screen. */
export function linkTo(campaign: string, screen: ScreenId = "run", ...rest: (string | number)[]): string {
  return ["#/campaigns", campaign, screen, ...rest.map((part) => encodeURIComponent(part))].join("/");
}
