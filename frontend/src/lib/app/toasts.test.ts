import { afterEach, expect, it, vi } from "vitest";
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
