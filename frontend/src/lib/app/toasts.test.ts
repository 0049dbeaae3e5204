import { expect, it } from "vitest";
import { toasts } from "./toasts.svelte";

it("says no more what the screen shows that the user went to", () => {
  toasts.list = [];
  toasts.info("A reply arrived.", undefined, "#/campaigns/c1/inbox");
  toasts.info("Saved leads.csv.");
  toasts.seen("#/campaigns/c1/inbox");
  expect(toasts.list.map((toast) => toast.sentence)).toEqual(["Saved leads.csv."]);
});
