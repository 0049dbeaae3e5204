import type { CampaignToday, Need } from "../lib/api/generated";
import { reveal } from "../lib/format/hiddenCharacters";
import { plural } from "../lib/format/numbers";
import { linkTo } from "../lib/navigation/route";
import { localDay } from "../lib/format/localTime";

/** A notification of the system, and where what it says is seen. */
export interface Notice {
  title: string;
  text: string;
  link: string;
}

/** What a campaign's Today has to say of it. */
export type Noticed = Pick<CampaignToday, "id" | "name" | "now" | "utc_offsets" | "needs" | "latest">;

/** What is known by now: the campaigns as they were, and what was told or was there at the start. */
export interface Known {
  campaigns: readonly Noticed[];
  announced: ReadonlySet<string>;
}


/**
 * The notices for what came up since `before`: replies, questions, and people to write to by hand where there were none, at most
 * once a day. Nothing is told twice, and nothing that was there at the start (`before` is null). Whoever writes again before they
 * were read is told once. Without `names` nobody is named.
 */
export function noticesOf(before: Known | null, campaigns: readonly Noticed[], names: boolean): { state: Known; notices: Notice[] } {
  const announced = before?.announced ?? new Set<string>();
  const due = sessionDue(before, campaigns);
  const keys = [...campaigns.flatMap((campaign) => campaign.latest.map(replyKey)), ...(due ? [due.key] : [])];
  const state = { campaigns, announced: new Set([...announced, ...keys]) };
  if (before === null) return { state, notices: [] };
  const notices = campaigns.flatMap((campaign) => {
    const was = before.campaigns.find((other) => other.id === campaign.id);
    return was === undefined ? [] : [...replied(was, campaign, announced, names), ...asked(was, campaign)];
  });
  const session = due?.notice && !announced.has(due.key) ? [due.notice] : [];
  return { state, notices: [...notices, ...session] };
}

const count = (campaign: Noticed, need: Need): number => campaign.needs[need] ?? 0;

type Reply = Noticed["latest"][number];

const replyKey = (reply: Reply): string => `reply ${reply.lead_id} ${reply.at}`;

// Whoever reads a reply brings an older one to the front: only as many as there are more are new.
function replied(was: Noticed, campaign: Noticed, announced: ReadonlySet<string>, names: boolean): Notice[] {
  const more = count(campaign, "read") - count(was, "read");
  const fresh = campaign.latest.filter((reply) => !announced.has(replyKey(reply))).slice(0, Math.max(0, more));
  const first = fresh[0];
  if (first === undefined) return [];
  const people = fresh.length === campaign.latest.length ? more : fresh.length; // only the latest few are listed
  const name = reveal(first.name);
  const named = people === 1 ? `${name} replied` : `${name} and ${people - 1} more replied`;
  const unnamed = people === 1 ? "A reply arrived" : `${people} replies arrived`;
  const link = linkTo(campaign.id, "inbox", ...(people === 1 ? [first.lead_id] : []));
  return [{ title: names ? named : unnamed, text: reveal(campaign.name), link }];
}

function asked(was: Noticed, campaign: Noticed): Notice[] {
  const more = count(campaign, "answer") - count(was, "answer");
  if (more <= 0) return [];
  const title = more === 1 ? "A question waits for you" : `${more} questions wait for you`;
  return [{ title, text: reveal(campaign.name), link: linkTo(campaign.id, "today", "questions") }];
}

// One queue over all campaigns, so one notice. Between two messages of a session nobody may be due: that begins no other one.
function sessionDue(before: Known | null, campaigns: readonly Noticed[]): { key: string; notice: Notice | null } | null {
  const byHand = campaigns.find((campaign) => count(campaign, "send") > 0);
  if (byHand === undefined) return null;
  const key = `session ${localDay(byHand.now, byHand.utc_offsets)}`;
  if (before === null || before.campaigns.some((campaign) => count(campaign, "send") > 0)) return { key, notice: null };
  const people = campaigns.reduce((sum, campaign) => sum + count(campaign, "send"), 0);
  const text = people === 1 ? "1 person is waiting for you to write" : `${plural(people, "person", "people")} are waiting for you to write`;
  return { key, notice: { title: "Your send session is due", text, link: "#/send" } };
}

/** A title with the number of things that wait for the user: "(3) Outrider". */
export const withBadge = (title: string, badge: number): string => `${badge > 0 ? `(${badge}) ` : ""}${withoutBadge(title)}`.slice(0, 200);

export const withoutBadge = (title: string): string => title.replace(/^\(\d+\) /, "");
