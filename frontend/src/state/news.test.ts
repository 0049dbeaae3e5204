import { expect, it } from "vitest";
import { newsOf } from "./news";
import { readRoute } from "./route";

const event = (kind: string, actor = "controller") => ({ campaign_id: "c1", kind, actor });

it("tells what happened in another campaign or on another screen", () => {
  expect(newsOf(event("ReplyReceived"), readRoute("#/"))?.link).toBe("#/campaigns/c1/inbox");
  expect(newsOf(event("ReplyReceived"), readRoute("#/campaigns/c1/run"))?.sentence).toBe("A reply arrived.");
});

it("says nothing of what the user sees, did, or need not know", () => {
  expect(newsOf(event("ReplyReceived"), readRoute("#/campaigns/c1/inbox"))).toBeNull();
  expect(newsOf(event("CampaignCompleted", "user"), readRoute("#/"))).toBeNull();
  expect(newsOf(event("LeadAdvanced"), readRoute("#/"))).toBeNull();
});
