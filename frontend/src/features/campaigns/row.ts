import type { ScreenId } from "../../lib/navigation/route";
import type { CampaignSummary, KnownCampaign } from "../../lib/api/generated";

interface Need {
  says: string;
  action?: string;
  screen?: ScreenId;
}

/** What a campaign needs before it can run, and where that is done. */
export const NEEDS: Record<CampaignSummary["missing"], Need | null> = {
  "": null,
  leads: { says: "No leads yet.", action: "Add leads", screen: "leads" },
  import: { says: "The lead import was interrupted; import the file again.", action: "Add leads", screen: "leads" },
  importing: { says: "Importing leads…" },
};

/** A campaign as it was last known, for the list: what is not known of it is left blank. */
export const rowOf = (campaign: KnownCampaign): CampaignSummary => ({
  ...campaign,
  status: campaign.status as CampaignSummary["status"],
  status_reason: "",
  leads: campaign.leads as CampaignSummary["leads"],
  state: { name: campaign.state as CampaignSummary["state"]["name"], detail: "", remedy: "", until: null },
  created_at: 0,
  turns: 0,
  now: 0,
  last_action_at: 0,
  missing: "",
});
