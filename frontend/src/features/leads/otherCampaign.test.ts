import { expect, it } from "vitest";
import type { IdentifiedLead } from "../../lib/api/generated";
import { consequence } from "./otherCampaign";

const lead = { campaign_name: "Water founders" } as IdentifiedLead;

it("speaks of another campaign only where there is one", () => {
  expect(consequence({ do_not_contact: false, with_lead: lead })).toContain("while that one is in touch");
  expect(consequence({ do_not_contact: false, with_lead: null })).not.toContain("that one");
});

it("offers nothing for whoever is never contacted", () => {
  for (const with_lead of [lead, null]) expect(consequence({ do_not_contact: true, with_lead })).toContain("never contacted");
});
