import { beforeEach, expect, test, vi } from "vitest";

import { RequestFailed } from "../../lib/api/errors";
import type { SendQueueView, SessionPerson } from "../../lib/api/generated";
import { copyText, openLink } from "../../lib/desktop/system";
import { SendDesk } from "./sendDesk.svelte";
import { settledWords } from "./words";

const ADA = { campaign_id: "c1", lead_id: "l1", action_id: "", advice: [], held: "", ask: "write", profile_url: "https://www.linkedin.com/in/ada", digest: "d", text: "Hi Ada." };
const handOver = vi.hoisted(() => vi.fn());
const answer = vi.hoisted(() => vi.fn());
const takeBack = vi.hoisted(() => vi.fn());
const leave = vi.hoisted(() => vi.fn());
const shown = vi.hoisted(() => ({ view: {} as SendQueueView }));
const queueOf = (people: readonly object[], later: readonly object[] = []) => ({ people, later, held: [], used: [], last: null }) as unknown as SendQueueView;

vi.mock("../../lib/desktop/system", () => ({ copyText: vi.fn(), openLink: vi.fn() }));
vi.mock("../../lib/api/calls", () => ({
  sendQueueView: () => Promise.resolve(shown.view),
  sendSessionAnswer: answer,
  sendSessionHandOver: handOver,
  sendSessionLeave: leave,
  sendSessionTakeBack: takeBack,
}));

const NO_BROWSER = new RequestFailed({ code: "link_failed", sentence: "No browser.", remedy: "" }, 0);

beforeEach(() => {
  vi.clearAllMocks();
  shown.view = queueOf([ADA]);
  vi.mocked(copyText).mockResolvedValue();
  answer.mockResolvedValue(null);
  takeBack.mockResolvedValue(null);
  leave.mockResolvedValue(null);
  handOver.mockResolvedValue({ text: "Hi Ada.", profile_url: ADA.profile_url, kind: "message" });
});

async function desk(): Promise<SendDesk> {
  const made = new SendDesk(null);
  await made.load();
  return made;
}

test("without a browser the profile's address is copied, and the text can still be taken", async () => {
  vi.mocked(openLink).mockRejectedValue(NO_BROWSER);
  const sendDesk = await desk();
  await sendDesk.go();
  expect(copyText).toHaveBeenCalledWith(ADA.profile_url);
  expect(handOver).not.toHaveBeenCalled();
  await sendDesk.go();
  expect(copyText).toHaveBeenLastCalledWith("Hi Ada.");
});

test("a text that was not handed over is not copied, and no profile is opened for it", async () => {
  vi.mocked(openLink).mockResolvedValue();
  const sendDesk = await desk();
  await sendDesk.go();
  handOver.mockRejectedValue(new RequestFailed({ code: "send_held", sentence: "Held.", remedy: "" }, 409));
  await sendDesk.go();
  expect(copyText).not.toHaveBeenCalled();
  expect(sendDesk.copied).toBe("");
});

test("what must not be copied again is not asked for, but its profile is opened; without a note nothing is on the clipboard", async () => {
  vi.mocked(openLink).mockResolvedValue();
  shown.view = queueOf([{ ...ADA, ask: "outcome", action_id: "a1", held: "Everything is stopped." }]);
  await (await desk()).go();
  expect(handOver).not.toHaveBeenCalled();
  expect(openLink).toHaveBeenCalledWith(ADA.profile_url);
  vi.mocked(openLink).mockRejectedValue(NO_BROWSER);
  handOver.mockResolvedValue({ text: "", profile_url: ADA.profile_url, kind: "invitation" });
  shown.view = queueOf([{ ...ADA, ask: "invite", text: "" }]);
  await (await desk()).go();
  expect(copyText).toHaveBeenCalledExactlyOnceWith(ADA.profile_url);
});

test("whether a text may be copied again is asked of whoever is shown, and what was taken is read again without a note, too", async () => {
  vi.mocked(openLink).mockResolvedValue();
  handOver.mockResolvedValue({ text: "", profile_url: ADA.profile_url, kind: "invitation" });
  const held = { ...ADA, ask: "outcome", action_id: "a1", held: "Everything is stopped." };
  const bo = { ...ADA, lead_id: "l2", ask: "invite", text: "" };
  shown.view = queueOf([held, bo]);
  const sendDesk = await desk();
  sendDesk.move(1);
  shown.view = queueOf([held, { ...bo, ask: "outcome", action_id: "a2" }]);
  await sendDesk.go();
  expect(handOver).toHaveBeenCalledOnce();
  expect(sendDesk.person?.action_id).toBe("a2");
});

test("whom the user chose stays at the front when the queue is ordered anew", async () => {
  const bo = { ...ADA, lead_id: "l2" };
  shown.view = queueOf([ADA, bo]);
  const sendDesk = await desk();
  expect(sendDesk.person?.lead_id).toBe("l1");
  sendDesk.move(1);
  expect(sendDesk.person?.lead_id).toBe("l2");
  shown.view = queueOf([{ ...ADA, lead_id: "l3" }, ADA, bo]);
  await sendDesk.load();
  expect(sendDesk.person?.lead_id).toBe("l2");
  sendDesk.move(1);
  expect(sendDesk.person?.lead_id).toBe("l2"); // the last one
});

test("nobody who better waits comes to the front unless the user chooses them, and then knowing why", async () => {
  vi.mocked(openLink).mockResolvedValue();
  const late = { ...ADA, ask: "invite", advice: [{ code: "daily_limit", sentence: "Full.", asks: true, until: null }] };
  shown.view = queueOf([], [late]);
  const sendDesk = await desk();
  expect(sendDesk.person).toBeNull();
  sendDesk.move(1);
  await sendDesk.go();
  expect(handOver).toHaveBeenCalledWith("c1", { lead_id: "l1", action_id: "", digest: "d", no_reply: false, despite: ["daily_limit"] });
});

test("what is said is of who is at the front, and after it whoever follows is begun anew", async () => {
  vi.mocked(openLink).mockResolvedValue();
  const [bo, cy] = [{ ...ADA, lead_id: "l2", action_id: "a2" }, { ...ADA, lead_id: "l3" }];
  shown.view = queueOf([ADA, bo, cy]);
  const sendDesk = await desk();
  sendDesk.move(1);
  await sendDesk.go();
  await sendDesk.go();
  sendDesk.pasting = true;
  expect([sendDesk.opened, sendDesk.copied]).toEqual(["c1/l2", "c1/l2"]);
  shown.view = queueOf([ADA, cy]);
  expect(await sendDesk.say("replied", "Thanks!")).toBe(true);
  expect(answer).toHaveBeenCalledWith("c1", { lead_id: "l2", ask: "write", action_id: "a2", word: "replied", reply: "Thanks!" });
  expect([sendDesk.person?.lead_id, sendDesk.opened, sendDesk.copied, sendDesk.pasting, sendDesk.summary]).toEqual(["l3", "", "", false, "1 already replied"]);
});

test("a word that was refused leaves who was at the front there, with what was opened and is being pasted for them", async () => {
  vi.mocked(openLink).mockResolvedValue();
  const bo = { ...ADA, lead_id: "l2" };
  shown.view = queueOf([ADA, bo]);
  const sendDesk = await desk();
  await sendDesk.go();
  sendDesk.pasting = true;
  answer.mockRejectedValue(new RequestFailed({ code: "reply_too_long", sentence: "Too long.", remedy: "" }, 422));
  shown.view = queueOf([bo, ADA]);
  expect(await sendDesk.say("replied", "Thanks!")).toBe(false);
  expect([sendDesk.person?.lead_id, sendDesk.opened, sendDesk.pasting, sendDesk.answered]).toEqual(["l1", "c1/l1", true, 0]);
});

test("undo brings back of whom the last word was said, in whichever campaign, and the word counts no more", async () => {
  const bo = { ...ADA, campaign_id: "c2", lead_id: "l2", ask: "accepted" };
  shown.view = queueOf([ADA, bo]);
  const sendDesk = await desk();
  sendDesk.move(1);
  shown.view = { ...queueOf([ADA]), last: { campaign_id: "c2", lead_id: "l2", name: "Bo", word: "connected" } };
  await sendDesk.say("connected");
  expect([sendDesk.person?.lead_id, sendDesk.summary]).toEqual(["l1", "1 connected"]);
  shown.view = queueOf([ADA, bo]);
  await sendDesk.takeBack();
  expect(takeBack).toHaveBeenCalledWith("c2");
  expect([sendDesk.person?.lead_id, sendDesk.summary]).toEqual(["l2", ""]);
  await sendDesk.takeBack(); // nothing more to take back
  expect(takeBack).toHaveBeenCalledTimes(1);
});

test("while a reply is pasted nobody else comes to the front, and nothing is opened or taken", async () => {
  const bo = { ...ADA, lead_id: "l2" };
  shown.view = queueOf([ADA, bo]);
  const sendDesk = await desk();
  sendDesk.pasting = true;
  sendDesk.move(1);
  sendDesk.choose(bo as unknown as SessionPerson);
  await sendDesk.go();
  expect(sendDesk.person?.lead_id).toBe("l1");
  expect(openLink).not.toHaveBeenCalled();
  expect(handOver).not.toHaveBeenCalled();
});

test("whoever leaves lets their last words take effect, also one that was said before", async () => {
  const bo = { ...ADA, campaign_id: "c2", lead_id: "l2" };
  shown.view = { ...queueOf([ADA, bo]), last: { campaign_id: "c3", lead_id: "l3", name: "Cy", word: "sent" } };
  const sendDesk = await desk();
  const close = sendDesk.open();
  await sendDesk.say("skip");
  await sendDesk.say("skip");
  close();
  expect(leave.mock.calls.map(([campaign]) => String(campaign)).toSorted()).toEqual(["c1", "c2", "c3"]);
});

test("what a session came to is still said when the page was loaded anew, and begins again once it is left", async () => {
  const kept = new Map<string, string>();
  vi.stubGlobal("sessionStorage", { getItem: (key: string) => kept.get(key) ?? null, setItem: (key: string, value: string) => kept.set(key, value) });
  shown.view = queueOf([ADA, { ...ADA, lead_id: "l2" }]);
  const before = await desk();
  before.open();
  await before.say("sent");
  await before.say("skip");
  const after = await desk();
  expect([after.answered, after.summary]).toEqual([2, "1 sent · 1 skipped"]);
  after.open()();
  expect((await desk()).answered).toBe(0);
  vi.unstubAllGlobals();
});

test("whoever was answered about here is not said to be settled elsewhere, though an older queue comes after the answer", async () => {
  const bo = { ...ADA, lead_id: "l2" };
  shown.view = queueOf([ADA]);
  const sendDesk = await desk();
  expect(await sendDesk.say("sent")).toBe(true); // and the queue still has her
  shown.view = queueOf([bo]);
  await sendDesk.load();
  expect([sendDesk.settled, sendDesk.person?.lead_id]).toEqual([null, "l2"]);
  shown.view = queueOf([]);
  await sendDesk.load();
  expect(sendDesk.settled).not.toBeNull();
});

test("whoever is settled in another window is named, and nobody takes their place until the user goes on", async () => {
  const bo = { ...ADA, lead_id: "l2" };
  shown.view = queueOf([{ ...ADA, name: "Ada" }, bo]);
  const sendDesk = await desk();
  await sendDesk.go();
  shown.view = { ...queueOf([bo]), last: { campaign_id: "c1", lead_id: "l1", name: "Ada", word: "sent" } };
  await sendDesk.load();
  expect(sendDesk.settled).toEqual({ name: "Ada", word: "sent" });
  expect(settledWords(sendDesk.settled!)).toBe("Reported elsewhere: Ada, sent");
  expect(await sendDesk.say("sent")).toBe(false);
  expect(answer).not.toHaveBeenCalled();
  sendDesk.goOn();
  expect(sendDesk.person?.lead_id).toBe("l2");
  shown.view = queueOf([]);
  await sendDesk.say("sent");
  expect(sendDesk.settled).toBeNull();
});
