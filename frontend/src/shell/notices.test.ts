import { describe, expect, it } from "vitest";
import { noticesOf, withBadge, type Known, type Noticed } from "./notices";

const DAY = 86_400_000;
const quiet: Noticed = { id: "c1", name: "Talks", now: 20_000 * DAY, utc_offsets: [], needs: {}, latest: [] };
const reply = (lead_id: string, at = 1) => ({ lead_id, name: lead_id.toUpperCase(), at, text: "Yes" });
const unread = (...leads: string[]): Noticed => ({ ...quiet, needs: { read: leads.length }, latest: leads.slice(0, 3).map((lead) => reply(lead)) });

/** What is told as Today goes through these states. */
function told(states: readonly (readonly Noticed[])[], names = true): string[][] {
  let state: Known | null = null;
  return states.map((campaigns) => {
    const next = noticesOf(state, campaigns, names);
    state = next.state;
    return next.notices.map((notice) => notice.title);
  });
}

describe("a notice", () => {
  it("is given for a reply, with the name or without it", () => {
    const states = [[quiet], [unread("ada")], [unread("eve", "ada")]];
    expect(told(states)).toEqual([[], ["ADA replied"], ["EVE replied"]]);
    expect(told(states, false)).toEqual([[], ["A reply arrived"], ["A reply arrived"]]);
    const several = [[quiet], [unread("ada", "eve", "bob", "joe", "kim")]];
    expect(told(several)).toEqual([[], ["ADA and 4 more replied"]]);
    expect(told(several, false)).toEqual([[], ["5 replies arrived"]]);
  });

  it("leads to the conversation and says in which campaign", () => {
    const { state } = noticesOf(null, [quiet], true);
    expect(noticesOf(state, [unread("ada")], true).notices).toEqual([{ title: "ADA replied", text: "Talks", link: "#/campaigns/c1/inbox/ada" }]);
    expect(noticesOf(state, [{ ...quiet, needs: { answer: 1 } }], true).notices[0]?.link).toBe("#/campaigns/c1/today/questions");
  });

  it("is given for nothing that was there at the start, or came with a campaign", () => {
    const busy = { ...unread("ada"), needs: { read: 1, answer: 1, send: 2 } };
    expect(told([[busy], [busy]])).toEqual([[], []]);
    expect(told([[quiet], [quiet, { ...busy, id: "c2", needs: { read: 1, answer: 1 } }]])).toEqual([[], []]);
  });

  it("is never given twice for the same reply", () => {
    expect(told([[quiet], [unread("ada")], [quiet], [unread("ada")]])).toEqual([[], ["ADA replied"], [], []]);
    expect(told([[unread("a", "b", "c", "d")], [unread("b", "c", "d")]])).toEqual([[], []]); // d comes to the front by reading a
    const second = { ...quiet, needs: { read: 1 }, latest: [reply("ada", 2)] };
    expect(told([[quiet], [unread("ada")], [quiet], [second]])).toEqual([[], ["ADA replied"], [], ["ADA replied"]]); // another one
    expect(told([[quiet], [unread("ada")], [second]])).toEqual([[], ["ADA replied"], []]); // she was not read yet
  });

  it("is given for questions, as many as there are more", () => {
    const asked = (answer: number) => [{ ...quiet, needs: { answer } }];
    expect(told([asked(0), asked(1), asked(1), asked(0), asked(2)])).toEqual([[], ["A question waits for you"], [], [], ["2 questions wait for you"]]);
  });

  it("is given once a day when somebody is to be written to by hand, over all campaigns", () => {
    const due = (days: number, ...people: number[]) => people.map((send, at) => ({ ...quiet, id: `c${at}`, now: (20_000 + days) * DAY, needs: { send } }));
    const session = ["Your send session is due"];
    expect(told([due(0, 0, 0), due(0, 2, 1), due(0, 2, 2), due(0, 0, 0), due(0, 1, 0)])).toEqual([[], session, [], [], []]);
    expect(told([due(0, 0), due(0, 2), due(0, 0), due(1, 2)])).toEqual([[], session, [], session]);
    expect(told([due(0, 2), due(0, 0), due(0, 2)])).toEqual([[], [], []]); // it was due at the start
    const { state } = noticesOf(null, due(0, 0, 0), true);
    expect(noticesOf(state, due(0, 2, 1), true).notices[0]?.text).toBe("3 people are waiting for you to write");
  });
});

it("a title carries the number of things that wait, once", () => {
  expect(withBadge("Outrider", 3)).toBe("(3) Outrider");
  expect(withBadge("(3) Outrider", 12)).toBe("(12) Outrider");
  expect(withBadge("(3) Outrider", 0)).toBe("Outrider");
  expect(withBadge("x".repeat(200), 1)).toHaveLength(200);
});
