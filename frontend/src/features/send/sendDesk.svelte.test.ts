import { beforeEach, expect, test, vi } from "vitest";

import { RequestFailed } from "../../lib/api/errors";
import type { SendQueueView } from "../../lib/api/generated";
import { copyText, openLink } from "../../lib/desktop/system";
import { SendDesk } from "./sendDesk.svelte";

const ADA = { campaign_id: "c1", lead_id: "l1", action_id: "", advice: [], ask: "write", profile_url: "https://www.linkedin.com/in/ada", digest: "d", text: "Hi Ada." };
const handOver = vi.hoisted(() => vi.fn());
const shown = vi.hoisted(() => ({ view: {} as SendQueueView }));
const queueOf = (people: readonly object[], later: readonly object[] = []) => ({ people, later, held: [], used: [], last: null }) as unknown as SendQueueView;

vi.mock("../../lib/desktop/system", () => ({ copyText: vi.fn(), openLink: vi.fn() }));
vi.mock("../../lib/api/calls", () => ({
  sendQueueView: () => Promise.resolve(shown.view),
  sendSessionHandOver: handOver,
}));

const NO_BROWSER = new RequestFailed({ code: "link_failed", sentence: "No browser.", remedy: "" }, 0);

beforeEach(() => {
  vi.clearAllMocks();
  shown.view = queueOf([ADA]);
  vi.mocked(copyText).mockResolvedValue();
  handOver.mockResolvedValue({ text: "Hi Ada.", profile_url: ADA.profile_url, kind: "message" });
});

async function desk(): Promise<SendDesk> {
  const made = new SendDesk(null);
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

test("whom the user chose stays at the front when the queue is ordered anew", async () => {
  const bo = { ...ADA, lead_id: "l2" };
  shown.view = queueOf([ADA, bo]);
  const it = await desk();
  expect(it.person?.lead_id).toBe("l1");
  it.move(1);
  expect(it.person?.lead_id).toBe("l2");
  shown.view = queueOf([{ ...ADA, lead_id: "l3" }, ADA, bo]);
  await it.load();
  expect(it.person?.lead_id).toBe("l2");
  it.move(1);
  expect(it.person?.lead_id).toBe("l2"); // the last one
});

test("nobody who better waits comes to the front unless the user chooses them, and then knowing why", async () => {
  vi.mocked(openLink).mockResolvedValue();
  const late = { ...ADA, ask: "invite", advice: [{ code: "daily_limit", sentence: "Full.", asks: true, until: null }] };
  shown.view = queueOf([], [late]);
  const it = await desk();
  expect(it.person).toBeNull();
  it.move(1);
  await it.go();
  expect(handOver).toHaveBeenCalledWith("c1", { lead_id: "l1", digest: "d", no_reply: false, despite: ["daily_limit"] });
});
