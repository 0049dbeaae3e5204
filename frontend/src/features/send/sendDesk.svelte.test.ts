import { beforeEach, expect, test, vi } from "vitest";

import { RequestFailed } from "../../lib/api/errors";
import type { SendSessionView } from "../../lib/api/generated";
import { copyText, openLink } from "../../lib/desktop/system";
import { SendDesk } from "./sendDesk.svelte";

const ADA = { lead_id: "l1", action_id: "", ask: "write", profile_url: "https://www.linkedin.com/in/ada", digest: "d", text: "Hi Ada." };
const handOver = vi.hoisted(() => vi.fn());

vi.mock("../../lib/desktop/system", () => ({ copyText: vi.fn(), openLink: vi.fn() }));
vi.mock("../../lib/api/calls", () => ({
  sendSessionView: () => Promise.resolve({ people: [ADA], held: [], used: [], last: null } as unknown as SendSessionView),
  sendSessionHandOver: handOver,
}));

const NO_BROWSER = new RequestFailed({ code: "link_failed", sentence: "No browser.", remedy: "" }, 0);

beforeEach(() => {
  vi.clearAllMocks();
  vi.mocked(copyText).mockResolvedValue();
  handOver.mockResolvedValue({ text: "Hi Ada.", profile_url: ADA.profile_url, kind: "message" });
});

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
