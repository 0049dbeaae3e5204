import { describe, expect, it } from "vitest";
import type { ActivityDay, FunnelStage, RateGroup, Rates, Trend } from "../../lib/api/generated";
import * as numbers from "./numbers";

const stages: FunnelStage[] = [
  { stage: "pending", reached: 40, current: 20 },
  { stage: "contacted", reached: 20, current: 14 },
  { stage: "responded", reached: 5, current: 4 },
  { stage: "interested", reached: 2, current: 2 },
  { stage: "rejected", reached: 2, current: 2 },
];

describe("the funnel", () => {
  it("says shares of the stage before", () => {
    expect(stages.map((_, at) => numbers.stageNote(stages, at))).toEqual([
      "40 · 20 not contacted yet",
      "20 · 50 % of all · 14 here now",
      "5 · 25 % of those · 4 here now",
      "2 · 40 % of those · 2 here now",
      "2",
    ]);
    expect(numbers.stageNote(stages, 1, true)).toBe("20 · 50 % of all");
  });
  it("has no shares of nobody", () => {
    const none = stages.map((stage) => (stage.stage === "pending" ? stage : { ...stage, reached: 0, current: 0 }));
    expect(none.map((_, at) => numbers.stageNote(none, at)).slice(1)).toEqual(["nobody yet", "nobody yet", "no labels yet", "nobody yet"]);
  });
  it("is one sentence for who cannot see it", () => {
    expect(numbers.funnelSentence(stages)).toBe("Of 40 leads, 20 were contacted, 5 of them replied, 2 are interested, and 2 declined.");
  });
  it("has the same numbers in its table", () => expect(numbers.funnelTable(stages).rows[1]).toEqual(["Contacted", 20, 14]));
});

describe("the trend", () => {
  const trend: Trend = {
    days: 7,
    starts: [10, 17, 24],
    begun: true,
    stages: [
      { stage: "contacted", counts: [6, 8, 4] },
      { stage: "responded", counts: [0, 1, 1] },
      { stage: "interested", counts: [0, 0, 0] },
    ],
    steps: [{ step: "follow_up", sent: [6, 8, 4], replied: [2, 1, 0] }],
  };
  it("says where it goes, and where there is too little or nothing, that", () => {
    expect(numbers.trendRows(trend, {}).map((row) => numbers.trendNote(trend, row))).toEqual([
      "18 · 4 this week (average 7)",
      "2 · too few for a trend",
      "none yet",
      "18, 3 of them replied · 4 this week (average 7)",
    ]);
  });
  it("says today where each bar is a day", () => {
    const daily = { ...trend, days: 1, stages: [{ stage: "contacted" as const, counts: [6, 8, 0] }], steps: [] };
    expect(numbers.trendRows(daily, {}).map((row) => numbers.trendNote(daily, row))[0]).toBe("14 · none today (average 7)");
  });
  it("has the same numbers in its table, and no zeros before anything was sent", () => {
    expect(numbers.trendTable(trend, {}).rows[1]).toEqual(["from Sun 18 Jan", 8, 1, 0, 8, 1]);
    expect(numbers.trendTable({ ...trend, begun: false }, {}).rows).toEqual([]);
  });
});

const day = (at: number, invitations: number, invitations_allowed: number): ActivityDay => ({ day: at, invitations, invitations_allowed, messages: 0, messages_allowed: 0 });

describe("activity", () => {
  it("names local days", () => expect([0, 4, 20_779].map(numbers.dayTitle)).toEqual(["Thu 1 Jan", "Mon 5 Jan", "Sun 22 Nov"]));
  it("draws the limit in pieces: one a height, none over days off", () => {
    const days = [day(1, 0, 2), day(2, 0, 3), day(3, 0, 3), day(4, 0, 0), day(5, 0, 3)];
    expect(numbers.limitPieces(days, "invitations")).toEqual([
      { from: 1, to: 1, limit: 2 },
      { from: 2, to: 3, limit: 3 },
      { from: 5, to: 5, limit: 3 },
    ]);
  });
  it("counts full days; a day off is not full", () => {
    expect(numbers.activitySentence([day(1, 2, 2), day(2, 0, 0), day(3, 1, 3)], "invitations")).toBe(
      "3 invitations in 3 days; the limit was used up on 1. Today 1 of 3 are used.",
    );
  });
});

it("names every span of time", () => {
  const spans = [1, 4, 24, 48, 168, null].map((hours) => ({ until_ms: hours === null ? null : hours * 3_600_000, replies: 0 }));
  expect(spans.map((_, at) => numbers.spanTitle(spans, at))).toEqual(["under 1 h", "1 to 4 h", "4 to 24 h", "1 to 2 days", "2 to 7 days", "over 7 days"]);
});

const group = (kind: RateGroup["kind"], value: string, contacted: number, responded: number, few: boolean): RateGroup => ({ kind, value, contacted, responded, low: 0, high: 0.4, few });
const rates: Rates = { field: "company", counted: 40, complete: true, groups_more: 3, groups: [group("value", "Acme", 30, 6, false), group("empty", "", 6, 0, true), group("others", "", 4, 1, true)] };

describe("response rates", () => {
  it("mark what rests on few", () => expect(rates.groups.map(numbers.rateNote)).toEqual(["20 % · 6 of 30", "0 % · 0 of 6 · few", "1 of 4 · too few"]));
  it("say the same in words", () => {
    expect(numbers.ratesSentence(rates, "Company")).toBe("Response rate by company, among 40 contacted leads: Acme 20 %, (none) 0 %, 3 others 1 of 4.");
  });
  it("say it in the table too", () => expect(numbers.ratesTable(rates, "Company").rows[0]).toEqual(["Acme", 30, 6, "20 %", "0 % to 40 %", ""]));
});

it("cuts between characters", () => expect(["short", "a longer one", "🙂🙂🙂🙂"].map((text) => numbers.cut(text, 3))).toEqual(["sh…", "a…", "🙂🙂…"]));

it("says a step's share with its bounds, and leaves out what cannot be accepted", () => {
  const replied = { count: 3, low: 0.108, high: 0.603 };
  const steps = [{ step: "follow_up", kind: "message", sent: 10, accepted: null, replied, few: true }];
  expect(numbers.stepsTable(steps, { follow_up: "Message 2" }).rows).toEqual([["Message 2", 10, "", "", 3, "30 % (11 to 60 %)"]]);
});

it("says of very few people only how many they are", () => {
  const share = { count: 1, low: 0.1, high: 0.9 };
  expect([2, 5].map((sent) => numbers.stepWords(share, sent))).toEqual(["1 of 2", "20 % (10 to 90 %)"]);
  expect(numbers.repliesSentence({ replies: 2, median_ms: 3_600_000, undated: 0 })).toBe("2 replies, too few to show how long people take.");
});

it("says of how many replies nobody knows when they were written", () => {
  expect(numbers.repliesSentence({ replies: 0, median_ms: null, undated: 1 })).toBe("When 1 reply was written is not known.");
  expect(numbers.repliesSentence({ replies: 6, median_ms: 3_600_000, undated: 2 })).toBe(
    "6 replies; half of them came within 1 h. When 2 replies were written is not known.",
  );
});

it("puts steps as they follow each other in the sequence, removed ones last", () => {
  const lines = ["follow_up", "gone", "invite"].map((step) => ({ step }));
  expect(numbers.inOrder(lines, { invite: "Invitation", follow_up: "Message" }).map(({ step }) => step)).toEqual(["invite", "follow_up", "gone"]);
});
