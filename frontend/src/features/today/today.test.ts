import { describe, expect, it } from "vitest";
import type { CampaignToday } from "../../lib/api/generated";
import { barsOf, besideOthers, countsOf, happenedIn, headline, metersOf, needsYou, nextOf, nextTitle, nothingNext, trendNote, troubleOf, troublesOf, waitingOf } from "./today";

const NOW = Date.UTC(2026, 10, 23, 9, 0);
const empty = { id: "c1", name: "Talks", status: "active", status_reason: "", site: "practice", now: NOW, utc_offsets: [], needs: {}, put_off: 0, put_off_until: null, latest: [], next: [], held: [], problems: [] };
const campaign = (more: object = {}) => ({ ...empty, ...more }) as unknown as CampaignToday;
const task = (more: object) => ({ id: "t1", needs: "invite", lead_id: "l1", lead_name: "Zuri", description: "Reach out to Zuri", ready_at: NOW, ...more });
const reply = { lead_id: "l2", name: "Ada", at: 1, text: "Yes" };

describe("what happened since the user was last here", () => {
  const since = (more: object) => ({ sent: 0, accepted: 0, replied: 0, problems: 0, ...more });

  it("is summed up over campaigns, and leads to where the first of it is seen", () => {
    const happenings = happenedIn([campaign({ since: since({ sent: 2 }) }), campaign({ id: "c2", since: since({ sent: 1, accepted: 1, replied: 2, problems: 1 }) })]);
    expect(happenings).toEqual([
      { text: "3 sent", link: "#/campaigns/c1/inbox" },
      { text: "1 accepted", link: "#/campaigns/c2/leads" },
      { text: "2 replies", link: "#/campaigns/c2/inbox" },
      { text: "1 problem", link: "#/campaigns/c2/tasks" },
    ]);
  });

  it("is nothing when nothing did, or when it is not known", () => {
    expect(happenedIn([campaign({ since: since({}) }), campaign({ since: null })])).toEqual([]);
  });
});

describe("what waits", () => {
  it("has a key each, and leads to where it is done", () => {
    const cards = waitingOf([campaign({ needs: { approve: 2, read: 3, answer: 1 }, latest: [reply] })], 0);
    expect(cards.map((card) => [card.key, card.title, card.count, card.link])).toEqual([
      ["1", "To approve", 2, "#/campaigns/c1/review"],
      ["2", "Replies to read", 3, "#/campaigns/c1/inbox/l2"],
      ["3", "Questions", 1, "#/campaigns/c1/today/questions"],
    ]);
    expect(cards[1]?.note).toBe("Ada and 2 more");
    expect(headline(cards)).toBe("6 things need you");
    expect(headline(cards, { faults: 1 })).toBe("7 things need you");
  });

  it("is summed up over campaigns, and leads to the first that has some", () => {
    const cards = waitingOf([campaign(), campaign({ id: "c2", name: "Autumn", site: "linkedin_assist", needs: { approve: 1, send: 6 } })], 0);
    expect(cards.map((card) => [card.count, card.note, card.link])).toEqual([
      [1, "Autumn", "#/campaigns/c2/review"],
      [6, "Autumn", "#/campaigns/c2/send"],
      [0, "All read", "#/campaigns/c1/inbox"],
    ]);
  });

  it("names conversations that are snoozed, and when the first comes back", () => {
    const later = (count: number, days: number) => campaign({ put_off: count, put_off_until: NOW + days * 86_400_000 });
    expect(waitingOf([later(1, 7)], 0)[1]?.note).toBe("All read · 1 snoozed until Mon 30 Nov, 09:00");
    expect(waitingOf([later(1, 7), later(2, 1)], 0)[1]?.note).toBe("All read · 3 snoozed, the first until Tue 24 Nov, 09:00");
    // The practice site's clock is ahead of the real one: first is what is first to come back, not the earlier date.
    const ahead = campaign({ now: NOW + 30 * 86_400_000, put_off: 1, put_off_until: NOW + 31 * 86_400_000 });
    expect(waitingOf([later(1, 7), ahead], 0)[1]?.note).toBe("All read · 2 snoozed, the first until Thu 24 Dec, 09:00");
  });

  it("may be nothing", () => {
    expect(waitingOf([], 0)).toEqual([]);
    expect(headline(waitingOf([campaign()], 0))).toBe("Nothing needs you now");
  });

  it("is never nothing without a word while campaigns stand still that only the user can continue", () => {
    const paused = (name: string) => campaign({ name, status: "paused", next: [task({})] });
    const headlineOf = (...campaigns: CampaignToday[]) => headline(waitingOf(campaigns, 0), { still: campaigns });
    expect(headlineOf(paused("Talks"))).toBe("Nothing needs you now, but Talks is paused");
    expect(headlineOf(campaign({ name: "Talks", status_reason: "Outrider was closed" }))).toBe("Nothing needs you now, but Talks is standing still");
    expect(headlineOf(paused("Talks"), paused("Autumn"))).toBe("Nothing needs you now, but 2 campaigns are paused");
    expect(headlineOf(campaign({ status: "paused" }))).toBe("Nothing needs you now, but Talks is paused");
    expect(headlineOf({ ...paused("Talks"), needs: { approve: 1 } })).toBe("1 thing needs you, and Talks is paused");
  });

  it("is the same number in the title as in the headline, with what is wrong and the questions of who is who", () => {
    const wrong = { kind: "blocked", count: 2, said: "" } as const;
    const campaigns = [campaign({ needs: { approve: 2 }, problems: [wrong] }), campaign({ id: "c2", status: "completed", needs: { read: 1 }, problems: [wrong] })];
    expect(needsYou({ campaigns, same_person: 1 })).toBe(5);
    expect(headline(waitingOf(campaigns, 1), { faults: troublesOf(campaigns).length })).toBe("5 things need you");
  });

  it("is told of the past, and of nobody, as long as only the counts of then are known", () => {
    const campaign = { id: "c1", name: "Talks", status: "active", state: "On", site: "practice", leads: {}, needs: { approve: 1 } };
    expect(headline(waitingOf([countsOf(campaign)], 0), { fromLastVisit: true })).toBe("1 thing needed you when you left");
    expect(headline(waitingOf([countsOf({ ...campaign, needs: {} })], 0), { fromLastVisit: true })).toBe("Nothing needed you when you left");
    expect(waitingOf([countsOf({ ...campaign, needs: { read: 2 } })], 0)[1]).toMatchObject({ count: 2, note: "In the inbox" });
  });
});

describe("what happens next", () => {
  it("is not said to be now while a campaign that runs waits for the user", () => {
    const [ready, later] = nextOf(campaign({ next: [task({}), task({ ready_at: NOW + 3_600_000 })] }), true, true);
    expect([ready?.when, later?.when]).toEqual(["waits for you", "from 10:00"]);
  });

  it("names the practice clock beside campaigns that go by the real one", () => {
    const [later] = nextOf(campaign({ next: [task({ ready_at: NOW + 3_600_000 })] }), true);
    expect(besideOthers(later!, 4 * 86_400_000).when).toBe("from 10:00, practice clock");
    expect(besideOthers(later!, -2_000).when).toBe("from 10:00");
  });

  const heldFamilies = [{ family: "invite", gate: { code: "daily_limit", passes: false, sentence: "Today's limit of 15 invitations leaves no room for more.", until: NOW + 86_400_000 } }];
  it.each([
    [task({}), [], true, ["Invitation to", "Zuri", "now", ""]],
    [task({}), [], false, ["Invitation to", "Zuri", "ready", ""]],
    [task({ ready_at: null, reason: "Your approval of this message has expired." }), [], false, ["Invitation to", "Zuri", "waits for you", "Your approval of this message has expired."]],
    [task({ ready_at: NOW + 3_600_000 }), [], true, ["Invitation to", "Zuri", "from 10:00", ""]],
    [task({}), heldFamilies, true, ["Invitation to", "Zuri", "from Tue 24 Nov, 09:00", "Today's limit of 15 invitations leaves no room for more."]],
    [task({ ready_at: NOW + 2 * 86_400_000 }), heldFamilies, true, ["Invitation to", "Zuri", "from Wed 25 Nov, 09:00", ""]],
    [task({}), [{ ...heldFamilies[0], gate: { ...heldFamilies[0]?.gate, until: null } }], true, ["Invitation to", "Zuri", "waits for you", "Today's limit of 15 invitations leaves no room for more."]],
    [task({ needs: "think", lead_id: null, lead_name: "", description: "Propose a scoring" }), [], true, ["Propose a scoring", "", "now", ""]],
  ])("%o", (next, gates, running, expected) => {
    const [line] = nextOf(campaign({ next: [next], held: gates }), running);
    expect([line?.does, line?.who, line?.when, line?.why]).toEqual(expected);
  });
});

it("shows the week's limit only where there is one", () => {
  const line = { used: 8, limit: 15, week_used: 41, week_limit: 80, notes_used: 3, notes_limit: 5 };
  expect(metersOf([{ family: "invite", ...line }, { family: "message", ...line, week_limit: null, notes_limit: null }]).map((meter) => [meter.title, meter.used, meter.limit])).toEqual([
    ["Invitations today", 8, 15],
    ["Invitations in 7 days", 41, 80],
    ["With a note in 30 days", 3, 5],
    ["Messages today", 8, 15],
  ]);
});

it("takes each stage's rate of the one before", () => {
  const stages = [{ stage: "pending", reached: 40, current: 1 }, { stage: "contacted", reached: 20, current: 1 }, { stage: "responded", reached: 5, current: 1 }, { stage: "interested", reached: 2, current: 2 }, { stage: "rejected", reached: 2, current: 2 }] as const;
  expect(barsOf(stages).map((bar) => [bar.title, bar.share, bar.rate])).toEqual([["Leads", 100, ""], ["Contacted", 50, "50 %"], ["Replied", 12.5, "25 %"], ["Interested", 5, "40 %"]]);
});

it("gives no rate of nobody", () => {
  const stages = [{ stage: "pending", reached: 40, current: 40 }, { stage: "contacted", reached: 0, current: 0 }, { stage: "responded", reached: 0, current: 0 }] as const;
  expect(barsOf(stages).map((bar) => bar.rate)).toEqual(["", "", ""]);
});

it("compares a week with the one before", () => {
  const week = (n: number) => [n, 0, 0, 0, 0, 0, 0];
  expect(trendNote([...week(2), ...week(6)], [...week(3), ...week(1)])).toBe("6 sent in the last 7 days, up from 2; 1 reply, down from 3.");
  expect(trendNote([...week(2), ...week(2)], week(0))).toBe("2 sent in the last 7 days, as before; 0 replies.");
  expect(trendNote([...week(0), ...week(6)], week(1))).toBe("6 sent in the last 7 days; 1 reply.");
});

it("says of each thing that is wrong what mends it", () => {
  const kinds = ["incident", "error", "blocked", "unknown", "import", "leads"] as const;
  for (const kind of kinds) {
    const trouble = troubleOf({ id: "c1", name: "Talks" }, { kind, count: 2, said: "captcha" });
    expect(trouble.what).not.toBe("");
    expect(trouble.link).toMatch(/^#\/campaigns\/c1\//);
  }
  const nobody = (reason: string) => troubleOf({ id: "c1", name: "Talks" }, { kind: "unreachable", count: 3, said: reason });
  expect(nobody("no_profile_url")).toEqual({ what: "Nobody has a usable profile address", action: "Add leads", link: "#/campaigns/c1/leads/import" });
  expect(nobody("skipped").what).toBe("Nobody can be written to: skipped");
  expect(troubleOf({ id: "c1", name: "Talks" }, { kind: "blocked", count: 1, said: "" }).what).toBe("1 task got stuck");
});

it("names the campaign of what is wrong where there are several", () => {
  const without = { problems: [{ kind: "leads", count: 0, said: "" }] };
  expect(troublesOf([campaign(without)]).map((trouble) => trouble.campaign)).toEqual([undefined]);
  expect(troublesOf([campaign(without), campaign({ id: "c2", name: "Fair", ...without })]).map((trouble) => trouble.campaign)).toEqual(["Talks", "Fair"]);
});

it("promises nothing of a campaign that does not run", () => {
  expect(nextTitle({ status: "active", archived: false }, true, false)).toBe("What happens next");
  expect(nextTitle({ status: "paused", archived: false }, false, true)).toBe("What happens once you continue");
  expect(nextTitle({ status: "initializing", archived: false }, false, false)).toBe("What happens once you start");
  expect(nextTitle({ status: "paused", archived: true }, false, true)).toBe("What happens once you bring it back");
});

it("tells that people wait until it is said who they are, and leads to the questions", () => {
  const asked = [campaign({ needs: { tell_apart: 1 } }), campaign({ id: "c2", name: "Autumn", needs: { tell_apart: 1 } })];
  expect(headline(waitingOf(asked, 1))).toBe("1 thing needs you"); // one question about people of both
  expect(waitingOf([{ ...empty, needs: { tell_apart: 2 } } as never], 2).at(-1)).toMatchObject({ title: "Same person?", count: 2, link: "#/campaigns/c1/leads/same-person" });
});

it("says what is waited for where nothing comes next, and of no approval where none is due", () => {
  expect(nothingNext(2, true)).toBe("Nothing until you approve.");
  expect(nothingNext(0, true)).not.toContain("approve");
  expect(nothingNext(0, false)).toBe("Nothing is planned.");
});
