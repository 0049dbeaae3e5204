import { afterEach, expect, it, vi } from "vitest";
import { call } from "../api/client";
import { toasts } from "./toasts.svelte";

it("says no more what the screen shows that the user went to", () => {
  toasts.list = [];
  toasts.info("A reply arrived.", undefined, "#/campaigns/c1/inbox");
  toasts.info("Saved leads.csv.");
  toasts.seen("#/campaigns/c1/inbox");
  expect(toasts.list.map((toast) => toast.sentence)).toEqual(["Saved leads.csv."]);
});

it("leads to no campaign that is gone", () => {
  toasts.list = [];
  toasts.info("A reply arrived.", undefined, "#/campaigns/c1/inbox");
  toasts.info("A task is blocked.", undefined, "#/campaigns/c12/tasks");
  toasts.info("“Talks” is deleted.");
  toasts.gone("c1");
  expect(toasts.list.map((toast) => toast.sentence)).toEqual(["A task is blocked.", "“Talks” is deleted."]);
});

afterEach(() => vi.useRealTimers());

it("says no more what is under way in another way", () => {
  toasts.list = [];
  for (const code of ["lease_held_elsewhere", "send_held"]) toasts.error({ code, sentence: code, remedy: "" });
  toasts.settled("lease_held_elsewhere");
  expect(toasts.list.map((toast) => toast.code)).toEqual(["send_held"]);
});

it("does not go away under the hand that reaches for its button", () => {
  vi.useFakeTimers();
  toasts.list = [];
  toasts.info("Rejected.", { label: "Undo", run: () => undefined });
  toasts.hold(true);
  vi.advanceTimersByTime(60_000);
  expect(toasts.list).toHaveLength(1);
  toasts.hold(false);
  expect(toasts.list).toHaveLength(0);
});

it("says no more that something failed once the same has worked", async () => {
  toasts.list = [];
  vi.stubGlobal("location", { search: "" });
  const fetched = vi.spyOn(globalThis, "fetch");
  const approve = (id: string, works: boolean) => {
    const held = Response.json({ code: "send_held", sentence: `Held: ${id}.`, remedy: "" }, { status: 409 });
    fetched.mockResolvedValueOnce(works ? new Response(null, { status: 204 }) : held);
    return toasts.attempt(() => call("POST", "/campaigns/c1/approve", { body: { message_id: id, digest: crypto.randomUUID() } }));
  };
  await approve("m1", false);
  await approve("m2", true);
  expect(toasts.list.map((toast) => toast.sentence)).toEqual(["Held: m1."]);
  await approve("m1", true);
  expect(toasts.list).toEqual([]);
  vi.unstubAllGlobals();
  fetched.mockRestore();
});
