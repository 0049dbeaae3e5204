import { expect, test } from "vitest";
import { originOf, spansCampaigns } from "./conversation";

const message = { campaign_id: "a", campaign: "Water", source: "reported" } as const;

test("a message says through which campaign it went only where there are several", () => {
  expect(spansCampaigns([message, message], "a")).toBe(false);
  expect(spansCampaigns([message, { ...message, campaign_id: "b" }], "a")).toBe(true);
  expect(spansCampaigns([message], "b")).toBe(true);
  expect(originOf(message, true)).toBe("“Water” · reported by you");
  expect(originOf(message, false)).toBe("reported by you");
});

test("where nothing was recorded of how a message is known, nothing is said", () => {
  expect(originOf({ ...message, source: "unknown" }, false)).toBe("");
});
