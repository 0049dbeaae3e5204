import { ACT_WORDS } from "../../lib/api/generated";
import type { CampaignToday, FunnelStage, KnownCampaign, LimitLine, Need, CampaignProblem, TodayView } from "../../lib/api/generated";
import { blockWords } from "../../lib/format/blockWords";
import { dayAndTime, dayEnding, earliest } from "../../lib/format/dates";
import { reveal } from "../../lib/format/hiddenCharacters";
import { percent, plural } from "../../lib/format/numbers";
import { linkToNeed } from "../../lib/campaign/needs";
import { isSentByHand, linkTo } from "../../lib/navigation/route";

/** Something that waits for the user: how many, where it is done and the key that goes there. */
export interface Waiting {
  title: string;
  count: number;
  note: string;
  action: string;
  link: string;
  key: string;
}

/** What is to be known of a campaign to say what waits in it. */
export type Counts = Pick<CampaignToday, "id" | "name" | "site" | "needs" | "latest" | "put_off" | "put_off_until" | "now" | "utc_offsets">;

/** What was known last of a campaign: how much waits, and not from whom. */
export const countsOf = (campaign: KnownCampaign): Counts => ({ ...campaign, latest: [], put_off: 0, put_off_until: null, now: 0, utc_offsets: [] });

/**
 * What waits in these campaigns, in the order of the keys; what is never done here, such as sending by hand, is left out.
 * `samePerson`: how many questions there are about who is who, each of which may be asked in several of them.
 */
export function waitingOf(campaigns: readonly Counts[], samePerson: number): Waiting[] {
  const [first] = campaigns;
  if (first === undefined) return [];
  const total = (what: Need) => campaigns.reduce((sum, campaign) => sum + (campaign.needs[what] ?? 0), 0);
  const goal = (what: Need) => campaigns.find((campaign) => (campaign.needs[what] ?? 0) > 0) ?? first;
  const where = (what: Need) => {
    const some = campaigns.filter((campaign) => (campaign.needs[what] ?? 0) > 0);
    return campaigns.length > 1 && some.length > 0 ? some.map((campaign) => campaign.name).join(", ") : "";
  };
  const byHand = campaigns.find((campaign) => isSentByHand(campaign.site));
  const cards: Omit<Waiting, "key">[] = [
    {
      title: "To approve",
      count: total("approve"),
      note: where("approve") || (total("approve") ? "You read each one first" : "No drafts to approve"),
      action: "Review",
      link: linkToNeed(goal("approve").id, "approve"),
    },
  ];
  if (byHand !== undefined)
    cards.push({
      title: "To send by hand",
      count: total("send"),
      note: where("send") || (total("send") ? sendingTakes(total("send")) : "Nobody to write to now"),
      action: "Open Send",
      link: linkToNeed((total("send") ? goal("send") : byHand).id, "send"),
    });
  const latest = campaigns.flatMap((campaign) => campaign.latest)[0];
  cards.push({
    title: "Replies to read",
    count: total("read"),
    note: [latest ? repliesNote(reveal(latest.name), total("read")) : total("read") ? "In the inbox" : "All read", putOffNote(campaigns)].filter(Boolean).join(" · "),
    action: "Inbox",
    link: linkToNeed(goal("read").id, "read", ...(latest ? [goal("read").latest[0]?.lead_id ?? latest.lead_id] : [])),
  });
  if (total("answer") > 0)
    cards.push({
      title: "Questions",
      count: total("answer"),
      note: where("answer") || "Your answer decides what happens next",
      action: "Answer",
      link: linkToNeed(goal("answer").id, "answer"),
    });
  if (samePerson > 0)
    cards.push({
      title: "Same person?",
      count: samePerson,
      note: where("tell_apart") || "Nothing goes to them until you answer",
      action: "Answer",
      link: linkToNeed(goal("tell_apart").id, "tell_apart"),
    });
  return cards.map((card, at) => ({ ...card, key: String(at + 1) }));
}

/** About twenty seconds a person: open, paste, send, say so. */
function sendingTakes(people: number): string {
  const minutes = Math.max(1, Math.round(people / 3));
  return `about ${plural(minutes, "minute")}`;
}

const repliesNote = (name: string, count: number): string => (count > 1 ? `${name} and ${count - 1} more` : name);

/** "3 snoozed until Mon 30 Nov, 09:00": conversations that are out of the way, and when the first of them comes back. */
export function putOffNote(campaigns: readonly Counts[]): string {
  const count = campaigns.reduce((sum, campaign) => sum + campaign.put_off, 0);
  const next = campaigns
    .filter((campaign) => campaign.put_off_until !== null)
    .sort((a, b) => (a.put_off_until ?? 0) - a.now - ((b.put_off_until ?? 0) - b.now))[0];
  if (count === 0 || next === undefined || next.put_off_until === null) return "";
  const when = dayAndTime(next.put_off_until, next.now, next.utc_offsets);
  return `${count} snoozed${count > 1 ? ", the first" : ""} until ${when}`;
}

/** What the list of what comes next is called: nothing of it happens while the campaign does not run. */
export function nextTitle(view: { status: string; archived: boolean }, running: boolean, still: boolean): string {
  if (view.archived) return "What happens once you bring it back";
  if (running) return "What happens next";
  if (view.status === "initializing") return "What happens once you start";
  return still ? "What happens once you continue" : "What happens next";
}

/** What is said where nothing comes next by itself. */
export const nothingNext = (approve: number, needsYou: boolean): string =>
  approve > 0 ? "Nothing until you approve." : needsYou ? "Nothing until you have seen to the above." : "Nothing is planned.";

/** How many things need the user: what waits, and what is wrong. */
const countOf = (waiting: readonly Waiting[], faults: number): number => waiting.reduce((sum, card) => sum + card.count, faults);

/** What is wrong in these campaigns; in one that is over, nothing is. */
export const troublesOf = (campaigns: readonly Pick<CampaignToday, "id" | "name" | "status" | "problems">[]): Trouble[] =>
  campaigns
    .filter((campaign) => campaign.status !== "completed")
    .flatMap((campaign) =>
      campaign.problems.map((problem) => ({ ...troubleOf(campaign, problem), ...(campaigns.length > 1 ? { campaign: reveal(campaign.name) } : {}) })),
    );

/** How many things need the user in all of these campaigns. */
export const needsYou = (view: Pick<TodayView, "campaigns" | "same_person">): number =>
  countOf(waitingOf(view.campaigns, view.same_person), troublesOf(view.campaigns).length);

/**
 * "3 things need you", in words; `faults` are what is wrong, each with a button that mends it. `fromLastVisit`: as it was when
 * Outrider was closed. `still`: the campaigns that only the user can continue, which are said whatever else waits.
 */
export function headline(waiting: readonly Waiting[], { faults = 0, fromLastVisit = false, still = [] as readonly Pick<CampaignToday, "name" | "status">[] } = {}): string {
  const all = countOf(waiting, faults);
  if (fromLastVisit) return `${all === 0 ? "Nothing" : plural(all, "thing")} needed you when you left`;
  const text = all === 0 ? "Nothing needs you now" : all === 1 ? "1 thing needs you" : `${all} things need you`;
  if (still.length === 0) return text;
  const [first] = still;
  const state = still.every((campaign) => campaign.status === "paused") ? "paused" : "standing still";
  return `${text}, ${all === 0 ? "but" : "and"} ${still.length === 1 && first ? `${reveal(first.name)} is` : `${still.length} campaigns are`} ${state}`;
}

export interface NextLine {
  id: string;
  does: string;
  who: string;
  when: string;
  /** Why it is not done sooner; empty if nothing keeps it. */
  why: string;
  link: string;
  campaign: string;
  /** How long until then, in ms; what waits only for somebody's act comes last. */
  wait: number;
}

/** What is done next and when, and what keeps it from being done sooner; `idle`: it runs and waits for the user. */
export function nextOf(campaign: CampaignToday, running: boolean, idle = false): NextLine[] {
  return campaign.next.map((task) => {
    const gate = campaign.held.find((heldFamily) => heldFamily.family === task.needs)?.gate ?? null;
    const ready = task.ready_at ?? Number.MAX_SAFE_INTEGER;
    const at = gate === null ? ready : Math.max(ready, gate.until ?? Number.MAX_SAFE_INTEGER);
    const waitsForGate = gate !== null && at > ready;
    const act = ACT_WORDS[task.needs].about;
    const named = act !== "" && task.lead_name !== "";
    return {
      id: task.id,
      does: named ? act : task.description,
      who: named ? reveal(task.lead_name) : "",
      when: whenSaid(at, campaign, running, idle),
      why: task.ready_at === null ? task.reason : waitsForGate ? gate.sentence : "",
      link: task.lead_id ? linkTo(campaign.id, "leads", task.lead_id) : linkTo(campaign.id, "tasks", task.id),
      campaign: campaign.name,
      wait: at - campaign.now,
    };
  });
}

const HOUR = 3_600_000;

/** A line beside those of other campaigns: its time names a clock that is `ahead` (ms) of the real one. */
export const besideOthers = (line: NextLine, ahead: number): NextLine =>
  ahead >= HOUR && line.when.startsWith("from ") ? { ...line, when: `${line.when}, practice clock` } : line;

function whenSaid(at: number, campaign: CampaignToday, running: boolean, idle: boolean): string {
  if (at >= Number.MAX_SAFE_INTEGER || (idle && at <= campaign.now)) return "waits for you";
  if (at <= campaign.now) return running ? "now" : "ready";
  return earliest(at, campaign.now, campaign.utc_offsets);
}

export interface Meter {
  title: string;
  used: number;
  limit: number;
}

/** The limits as meters, today's and those of seven days. */
export function metersOf(limits: readonly LimitLine[]): Meter[] {
  return limits.flatMap((line) => {
    const { title } = ACT_WORDS[line.family];
    const today = { title: `${title} today`, used: line.used, limit: line.limit };
    const week = line.week_limit === null ? [] : [{ title: `${title} in 7 days`, used: line.week_used, limit: line.week_limit }];
    const notes = line.notes_limit === null ? [] : [{ title: "With a note in 30 days", used: line.notes_used, limit: line.notes_limit }];
    return [today, ...week, ...notes];
  });
}

const STAGES: Record<FunnelStage["stage"], string> = {
  pending: "Leads",
  contacted: "Contacted",
  responded: "Replied",
  interested: "Interested",
  rejected: "Declined",
};

export interface Bar {
  title: string;
  count: number;
  share: number;
  /** Of the stage before. */
  rate: string;
}

/** The funnel without those who declined: of each stage, how many came that far, of all and of the stage before. */
export function barsOf(funnel: readonly FunnelStage[]): Bar[] {
  const stages = funnel.filter((stage) => stage.stage !== "rejected");
  const all = stages[0]?.reached ?? 0;
  return stages.map((stage, at) => ({
    title: STAGES[stage.stage],
    count: stage.reached,
    share: all === 0 ? 0 : (100 * stage.reached) / all,
    // Of nobody there is no rate.
    rate: at === 0 || stage.reached === 0 ? "" : percent(stage.reached, stages[at - 1]?.reached ?? 0),
  }));
}

/** "12 sent in the last 7 days, up from 8; 3 replies, as before."; where the week before had nothing, there is no comparison. */
export function trendNote(sent: readonly number[], replies: readonly number[]): string {
  const trend = (days: readonly number[], phrase: (n: number) => string) => {
    const now = sum(days.slice(-7));
    const before = sum(days.slice(-14, -7));
    const than = now === before ? "as before" : `${now > before ? "up" : "down"} from ${before}`;
    return `${phrase(now)}${before === 0 ? "" : `, ${than}`}`;
  };
  return `${trend(sent, (n) => `${n} sent in the last 7 days`)}; ${trend(replies, (n) => plural(n, "reply", "replies"))}.`;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, n) => total + n, 0);

export interface Happening {
  text: string;
  link: string;
}

/** What happened in these campaigns since the user was last here, each with where it is seen; nothing when nothing did. */
export function happenedIn(campaigns: readonly Pick<CampaignToday, "id" | "since">[]): Happening[] {
  const kinds = [
    { of: "sent", say: (n: number) => `${n} sent`, screen: "inbox" },
    { of: "accepted", say: (n: number) => `${n} accepted`, screen: "leads" },
    { of: "replied", say: (n: number) => plural(n, "reply", "replies"), screen: "inbox" },
    { of: "problems", say: (n: number) => plural(n, "problem"), screen: "tasks" },
  ] as const;
  return kinds.flatMap(({ of, say, screen }) => {
    const where = campaigns.find((campaign) => (campaign.since?.[of] ?? 0) > 0);
    if (where === undefined) return [];
    return [{ text: say(sum(campaigns.map((campaign) => campaign.since?.[of] ?? 0))), link: linkTo(where.id, screen) }];
  });
}

export interface Trouble {
  /** Where it is, among those of several campaigns. */
  campaign?: string;
  what: string;
  action: string;
  link: string;
}

/** What is wrong, in words, and the one thing that mends it. */
export function troubleOf(campaign: Pick<CampaignToday, "id" | "name">, problem: CampaignProblem): Trouble {
  switch (problem.kind) {
    case "incident":
      return { what: `Everything is stopped: ${problem.said}`, action: "Look at it", link: linkTo(campaign.id) };
    case "error":
      return { what: `Stopped with an error: ${problem.said}`, action: "Recover", link: linkTo(campaign.id) };
    case "unknown":
      return {
        what: `${plural(problem.count, "message")} may or may not have arrived`,
        action: "Check",
        link: linkTo(campaign.id, "inbox"),
      };
    case "blocked":
      return { what: `${plural(problem.count, "task")} got stuck`, action: "Fix or drop", link: linkTo(campaign.id, "tasks") };
    case "import":
      return { what: "The last import was interrupted", action: "Continue it", link: linkToNeed(campaign.id, "import_again") };
    case "leads":
      return { what: "There are no leads yet", action: "Add leads", link: linkToNeed(campaign.id, "add_leads") };
    case "unreachable":
      return problem.said === "no_profile_url"
        ? { what: "Nobody has a usable profile address", action: "Add leads", link: linkTo(campaign.id, "leads", "import") }
        : { what: `Nobody can be written to: ${blockWords(problem.said).toLowerCase()}`, action: "See who", link: linkTo(campaign.id, "leads") };
  }
}

/** The last days of a campaign that has some: "Mon 7 Dec", or that it is over. */
export function lastDaysOf(campaign: CampaignToday): { title: string; text: string; over: boolean }[] {
  const days = [
    { title: "Last day for a first contact", at: campaign.first_contact_until },
    { title: "Last day", at: campaign.ends_at },
  ];
  return days.flatMap(({ title, at }) => {
    if (at === null) return [];
    const day = dayEnding(at, campaign.now, campaign.utc_offsets);
    return [{ title, text: at <= campaign.now ? `${day}, over` : day, over: at <= campaign.now }];
  });
}
