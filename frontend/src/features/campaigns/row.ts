import type { ScreenId } from "../../lib/state/route";
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
export const rowOf = (one: KnownCampaign): CampaignSummary => ({
  ...one,
  status: one.status as CampaignSummary["status"],
  leads: one.leads as CampaignSummary["leads"],
  status_reason: "",
  created_at: 0,
  turns: 0,
  now: 0,
  last_action_at: 0,
  missing: "",
});

/** What waits for the user, in words; nothing when nothing does. */
export function waiting(campaign: Pick<CampaignSummary, "drafts" | "questions">): string {
  const { drafts, questions } = campaign;
  const parts = [
    drafts && `${drafts} ${drafts === 1 ? "draft" : "drafts"}`,
    questions && `${questions} ${questions === 1 ? "question" : "questions"}`,
  ];
  return parts.filter(Boolean).join(", ");
}
