import type {
  Activity,
  ActivityDay,
  FunnelStage,
  RateGroup,
  Rates,
  ReplySpan,
  ReplyTimes,
  Share,
  StepLine,
  Trend,
} from "../../lib/api/generated";
import { formatDuration } from "../../lib/format/duration";
import { count, percent, plural } from "../../lib/format/numbers";
import { stepTitle } from "../../lib/format/stepTitle";
import type { Table } from "../../lib/format/table";
import { dayTitle as dayOfWeek } from "../../lib/format/dates";

/** Fewer than this are told in words: a picture of them would claim what they cannot show. */
const FEWEST = 5;
export const tooFew = (people: number): boolean => people < FEWEST;

/** A label that fits: cut with an ellipsis, never in the middle of a character. */
export function cut(text: string, most: number): string {
  const characters = [...text];
  return characters.length <= most
    ? text
    : `${characters
        .slice(0, most - 1)
        .join("")
        .trimEnd()}…`;
}

// --- funnel ---

const STAGES = { pending: "All leads", contacted: "Contacted", responded: "Replied", interested: "Interested", rejected: "Declined" };
export const stageTitle = (stage: FunnelStage): string => STAGES[stage.stage];

/** What stands beside a stage's bar; `brief` where there is no room for how many are there now. */
export function stageNote(stages: readonly FunnelStage[], at: number, brief = false): string {
  const [stage, before] = [stages[at], stages[at - 1]];
  if (stage === undefined) return "";
  if (stage.stage !== "pending" && stage.stage !== "interested" && stage.reached === 0) return "nobody yet";
  if (stage.stage === "rejected") return count(stage.reached);
  if (stage.stage === "interested" && stage.reached === 0) return "no labels yet";
  const share =
    before === undefined
      ? ""
      : ` · ${percent(stage.reached, before.reached)} of ${before.stage === "pending" ? "all" : "those"}`;
  if (brief) return count(stage.reached) + share;
  return `${count(stage.reached)}${share} · ${count(stage.current)} ${stage.stage === "pending" ? "not contacted yet" : "here now"}`;
}

export function funnelTable(stages: readonly FunnelStage[]): Table {
  return {
    head: ["Stage", "Got this far", "Here now"],
    rows: stages.map((stage) => [stageTitle(stage), stage.reached, stage.current]),
  };
}

export function funnelSentence(stages: readonly FunnelStage[]): string {
  const of = (name: FunnelStage["stage"]) => stages.find((stage) => stage.stage === name)?.reached ?? 0;
  return `Of ${plural(of("pending"), "lead")}, ${of("contacted")} were contacted, ${of("responded")} of them replied, ${of("interested")} are interested, and ${of("rejected")} declined.`;
}

/** What the steps in force are called, in their order. */
export type StepTitles = Readonly<Record<string, string>>;

/** As they follow each other in the sequence; those that were removed come last. */
export function inOrder<Line extends { step: string }>(lines: readonly Line[], titles: StepTitles): Line[] {
  const positions = Object.fromEntries(Object.keys(titles).map((key, at) => [key, at]));
  return lines.toSorted((line, other) => (positions[line.step] ?? Infinity) - (positions[other.step] ?? Infinity) || 0);
}

// --- trend ---

/** A small row of bars: how many in each stretch of time, and of these `part`, where there is one. */
export interface TrendRow {
  title: string;
  counts: readonly number[];
  part: readonly number[] | null;
}

/** Over fewer stretches of time than this there is no direction. */
const SHORTEST = 3;

export const trendTitle = (trend: Trend): string => (trend.days > 1 ? "Week by week" : "Day by day");

/** The stages and then the steps, in their order. */
export function trendRows(trend: Trend, titles: StepTitles): TrendRow[] {
  return [
    ...trend.stages.map(({ stage, counts }) => ({ title: STAGES[stage], counts, part: null })),
    ...inOrder(trend.steps, titles).map(({ step, sent, replied }) => ({ title: stepTitle(step, titles), counts: sent, part: replied })),
  ];
}

const total = (counts: readonly number[]): number => counts.reduce((sum, n) => sum + n, 0);

/** What a row says in words; where there is too little, that. */
export function trendNote(trend: Trend, row: TrendRow): string {
  const all = total(row.counts);
  const when = trend.days > 1 ? "this week" : "today";
  const answered = row.part === null ? "" : `, ${total(row.part)} of them replied`;
  if (all === 0) return "none yet";
  if (row.counts.length < SHORTEST || tooFew(all)) return `${count(all)}${answered} · too few for a trend`;
  const [last = 0] = row.counts.slice(-1);
  const mean = (all - last) / (row.counts.length - 1);
  return `${count(all)}${answered} · ${last === 0 ? "none" : count(last)} ${when} (average ${mean.toFixed(mean < 10 ? 1 : 0).replace(/\.0$/, "")})`;
}

/** A stretch of time: "Mon 23 Nov", "from Mon 23 Nov". */
export const stretchTitle = (trend: Trend, at: number): string =>
  `${trend.days > 1 ? "from " : ""}${dayTitle(trend.starts[at] ?? 0)}`;

export function trendTable(trend: Trend, titles: StepTitles): Table {
  const rows = trendRows(trend, titles);
  return {
    head: [
      trend.days > 1 ? "Seven days" : "Day",
      ...rows.flatMap((row) => (row.part === null ? [row.title] : [`${row.title}: sent`, `${row.title}: replied`])),
    ],
    rows: trend.begun
      ? trend.starts.map((_, at) => [
          stretchTitle(trend, at),
          ...rows.flatMap((row) => (row.part === null ? [row.counts[at] ?? 0] : [row.counts[at] ?? 0, row.part[at] ?? 0])),
        ])
      : [],
  };
}

// --- steps ---

/** A step's share as it is shown: of very few people only how many of them. */
export const stepWords = (share: Share, sent: number): string =>
  tooFew(sent) ? `${count(share.count)} of ${count(sent)}` : shareWords(share, sent);

/** "30 % (11 to 60 %)": a share of those whom a step reached, and where the true one lies. */
export const shareWords = (share: Share, sent: number): string =>
  `${percent(share.count, sent)} (${Math.round(share.low * 100)} to ${percent(share.high, 1)})`;

export function stepsTable(steps: readonly StepLine[], titles: StepTitles): Table {
  return {
    head: ["Step", "Sent", "Accepted", "Accepted (95 % interval)", "Replied", "Replied (95 % interval)"],
    rows: inOrder(steps, titles).map(({ step, sent, accepted, replied }) => [
      stepTitle(step, titles),
      sent,
      accepted === null ? "" : accepted.count,
      accepted === null ? "" : shareWords(accepted, sent),
      replied.count,
      shareWords(replied, sent),
    ]),
  };
}

// --- activity ---

const DAY = 86_400_000;

/** A local day, given as days since the epoch: "Mon 23 Nov". */
export const dayTitle = (day: number): string => dayOfWeek(day * DAY, []);

export function activityTable(activity: Activity): Table {
  return {
    head: ["Day", "Invitations", "Invitations allowed", "Messages", "Messages allowed"],
    rows: activity.days.map((day) => [
      dayTitle(day.day),
      day.invitations,
      day.invitations_allowed,
      day.messages,
      day.messages_allowed,
    ]),
  };
}

export function activitySentence(days: readonly ActivityDay[], what: "invitations" | "messages"): string {
  const total = days.reduce((sum, day) => sum + day[what], 0);
  const full = days.filter((day) => day[`${what}_allowed`] > 0 && day[what] >= day[`${what}_allowed`]).length;
  const today = days.at(-1);
  const now = today === undefined ? "" : ` Today ${today[what]} of ${today[`${what}_allowed`]} are used.`;
  return `${plural(total, what.slice(0, -1))} in ${plural(days.length, "day")}; the limit was used up on ${full}.${now}`;
}

/** The limit as unbroken pieces, one a run of neighbouring days with the same limit above nothing. */
export function limitPieces(
  days: readonly ActivityDay[],
  what: "invitations" | "messages",
): { from: number; to: number; limit: number }[] {
  const pieces: { from: number; to: number; limit: number }[] = [];
  for (const day of days) {
    const limit = day[`${what}_allowed`];
    const last = pieces.at(-1);
    if (limit === 0) continue;
    if (last && last.to === day.day - 1 && last.limit === limit) last.to = day.day;
    else pieces.push({ from: day.day, to: day.day, limit });
  }
  return pieces;
}

// --- time to reply ---

/** "under 1 h", "4 to 24 h", "over 14 days". */
export function spanTitle(spans: readonly ReplySpan[], at: number): string {
  const [until, from] = [spans[at]?.until_ms ?? null, spans[at - 1]?.until_ms ?? null];
  const hours = (ms: number) => ms / 3_600_000;
  if (from === null) return `under ${hours(until ?? 0)} h`;
  if (until === null) return `over ${hours(from) / 24} days`;
  return hours(until) <= 24
    ? `${hours(from)} to ${hours(until)} h`
    : `${hours(from) / 24} to ${hours(until) / 24} days`;
}

export function repliesTable(replies: ReplyTimes): Table {
  return {
    head: ["Time to reply", "Replies"],
    rows: replies.spans.map((span, at) => [spanTitle(replies.spans, at), span.replies]),
  };
}

export function repliesSentence(replies: Omit<ReplyTimes, "spans" | "unprompted">): string {
  const undated = replies.undated ? `When ${plural(replies.undated, "reply was", "replies were")} written is not known.` : "";
  if (replies.median_ms === null) return undated || "No replies to a message yet.";
  const all = plural(replies.replies, "reply", "replies");
  const dated = tooFew(replies.replies)
    ? `${all}, too few to show how long people take.`
    : `${all}; half of them came within ${formatDuration(replies.median_ms)}.`;
  return undated ? `${dated} ${undated}` : dated;
}

// --- response rates ---

export function groupTitle(group: RateGroup, more: number): string {
  if (group.kind === "empty") return "(none)";
  return group.kind === "others" ? `${plural(more, "other")}` : group.value;
}

export function rateNote(group: RateGroup): string {
  if (tooFew(group.contacted)) return `${group.responded} of ${group.contacted} · too few`;
  return `${percent(group.responded, group.contacted)} · ${group.responded} of ${group.contacted}${group.few ? " · few" : ""}`;
}

export function ratesTable(rates: Rates, title: string): Table {
  return {
    head: [title, "Contacted", "Replied", "Rate", "95 % interval", "Few"],
    rows: rates.groups.map((group) => [
      groupTitle(group, rates.groups_more),
      group.contacted,
      group.responded,
      percent(group.responded, group.contacted),
      `${percent(group.low, 1)} to ${percent(group.high, 1)}`,
      group.few ? "few" : "",
    ]),
  };
}

export function ratesSentence(rates: Rates, title: string): string {
  if (rates.groups.length === 0) return "Nobody has been contacted yet.";
  const groups = rates.groups.map(
    (group) =>
      `${groupTitle(group, rates.groups_more)} ${tooFew(group.contacted) ? `${group.responded} of ${group.contacted}` : percent(group.responded, group.contacted)}`,
  );
  return `Response rate by ${title.toLowerCase()}, among ${plural(rates.counted, "contacted lead")}: ${groups.join(", ")}.`;
}
