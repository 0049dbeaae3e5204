import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { RequestFailed } from "../../lib/api/errors";
import type { SendSessionView } from "../../lib/api/generated";
import { copyText, openLink } from "../../lib/desktop/system";
import { SendDesk, UNDO_REPLY } from "./sendDesk.svelte";

const ADA = { lead_id: "l1", action_id: "", name: "Ada", ask: "write", profile_url: "https://www.linkedin.com/in/ada", digest: "d", text: "Hi Ada." };
const BEN = { ...ADA, lead_id: "l2", name: "Ben" };
const handOver = vi.hoisted(() => vi.fn());
const answer = vi.hoisted(() => vi.fn());

vi.mock("../../lib/desktop/system", () => ({ copyText: vi.fn(), openLink: vi.fn() }));
vi.mock("../../lib/api/calls", () => ({
  sendSessionView: () => Promise.resolve({ people: [ADA, BEN], held: [], used: [], last: null } as unknown as SendSessionView),
  sendSessionHandOver: handOver,
  sendSessionAnswer: answer,
}));

const NO_BROWSER = new RequestFailed({ code: "link_failed", sentence: "No browser.", remedy: "" }, 0);

beforeEach(() => {
  vi.clearAllMocks();
  vi.mocked(copyText).mockResolvedValue();
  vi.useFakeTimers();
  answer.mockResolvedValue({});
  handOver.mockResolvedValue({ text: "Hi Ada.", profile_url: ADA.profile_url, kind: "message" });
});

afterEach(() => void vi.useRealTimers());

async function desk(): Promise<SendDesk> {
  const made = new SendDesk("c1");
  await made.load();
  return made;
}

test("without a browser the profile's address is copied, and the text can still be taken", async () => {
  vi.mocked(openLink).mockRejectedValue(NO_BROWSER);
  const it = await desk();
  await it.go();
  expect(copyText).toHaveBeenCalledWith(ADA.profile_url);
  expect(handOver).not.toHaveBeenCalled();
  await it.go();
  expect(copyText).toHaveBeenLastCalledWith("Hi Ada.");
});

test("a text that was not handed over is not copied, and no profile is opened for it", async () => {
  vi.mocked(openLink).mockResolvedValue();
  const it = await desk();
  await it.go();
  handOver.mockRejectedValue(new RequestFailed({ code: "send_held", sentence: "Held.", remedy: "" }, 409));
  await it.go();
  expect(copyText).not.toHaveBeenCalled();
  expect(it.copied).toBe("");
});

const replied = expect.objectContaining({ lead_id: "l1", word: "replied", reply: "No." });

test("a reply is undone while nothing has been sent, and the person is asked about again", async () => {
  const it = await desk();
  await it.say("replied", "No.");
  expect([it.person?.name, it.last, it.answered]).toEqual(["Ben", { name: "Ada", word: "replied" }, 1]);
  await it.takeBack();
  await vi.advanceTimersByTimeAsync(2 * UNDO_REPLY);
  expect([it.person?.name, it.last, it.answered]).toEqual(["Ada", null, 0]);
  expect(answer).not.toHaveBeenCalled();
});

test("a reply takes effect by itself, once", async () => {
  const it = await desk();
  await it.say("replied", "No.");
  await vi.advanceTimersByTimeAsync(UNDO_REPLY);
  expect(answer).toHaveBeenCalledExactlyOnceWith("c1", replied);
  await vi.advanceTimersByTimeAsync(UNDO_REPLY);
  expect(answer).toHaveBeenCalledOnce();
});

test("a reply takes effect before the next answer and before the next text is taken", async () => {
  const it = await desk();
  await it.say("replied", "No.");
  await it.say("skip");
  expect(answer.mock.calls.map(([, said]) => [said.lead_id, said.word])).toEqual([["l1", "replied"], ["l2", "skip"]]);
  await it.say("replied", "No.");
  answer.mockClear();
  vi.mocked(openLink).mockResolvedValue();
  await it.go();
  expect(answer).toHaveBeenCalledExactlyOnceWith("c1", replied);
});

test("leaving the session sends the reply", async () => {
  const first = await desk();
  const leave = first.open();
  await first.say("replied", "No.");
  leave();
  await vi.advanceTimersByTimeAsync(0);
  expect(answer).toHaveBeenCalledExactlyOnceWith("c1", replied);
});

test("a reply that could not be recorded is not counted, and the person is asked about again", async () => {
  answer.mockRejectedValue(new RequestFailed({ code: "person_not_waiting", sentence: "Not waiting.", remedy: "" }, 409));
  const it = await desk();
  await it.say("replied", "No.");
  await vi.advanceTimersByTimeAsync(UNDO_REPLY);
  expect([it.person?.name, it.last, it.answered]).toEqual(["Ada", null, 0]);
});
