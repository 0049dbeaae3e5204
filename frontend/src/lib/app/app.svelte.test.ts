import { afterAll, afterEach, beforeEach, expect, it, vi } from "vitest";

// Other files' tests share this engine.
vi.resetModules();
vi.doMock("../api/calls", () => ({
  sessionPair: () => Promise.resolve({ token: "t", ticket: "" }),
  sessionView: () => Promise.resolve({ build: "b", runs: [] }),
}));
vi.doMock("./presence", () => ({ reportPresenceAgain: () => undefined, watchPresence: () => undefined }));

class Socket extends EventTarget {
  static last: Socket;
  constructor() {
    super();
    Socket.last = this;
  }
  send() {}
  says(message: object) {
    this.dispatchEvent(new MessageEvent("message", { data: JSON.stringify(message) }));
  }
}
const READY = { type: "ready", heads: {} };

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("window", {});
  vi.stubGlobal("location", { host: "here" });
  vi.stubGlobal("document", { documentElement: { dataset: { build: "b" } }, querySelectorAll: () => [] });
  vi.stubGlobal("WebSocket", Socket);
});
afterEach(() => vi.useRealTimers());
afterAll(() => {
  vi.doUnmock("../api/calls");
  vi.doUnmock("./presence");
  vi.resetModules();
});

async function started() {
  vi.resetModules();
  const { app } = await import("./app.svelte");
  const reload = vi.fn();
  app.follow({ event: () => undefined, reload });
  const paired = app.pair("code");
  await vi.advanceTimersByTimeAsync(1);
  return { app, reload, paired };
}

it("shows nothing that asks before the feed is open, so that nothing need be asked again", async () => {
  const { app, reload, paired } = await started();
  expect(app.phase).not.toBe("open");
  Socket.last.says(READY);
  await paired;
  expect(app.phase).toBe("open");
  expect(reload).not.toHaveBeenCalled();
  Socket.last.says(READY); // after a lost connection
  expect(reload).toHaveBeenCalledOnce();
});

it("waits no longer than a moment for the feed, and reads again once it is open", async () => {
  const { app, reload, paired } = await started();
  await vi.advanceTimersByTimeAsync(500);
  await paired;
  expect(app.phase).toBe("open");
  Socket.last.says(READY);
  expect(reload).toHaveBeenCalledOnce();
});

it("asks for the code again when the feed is refused", async () => {
  const { app, paired } = await started();
  Socket.last.dispatchEvent(Object.assign(new Event("close"), { code: 1008, reason: "token_refused" }));
  await paired;
  expect(app.phase).toBe("pairing");
});
