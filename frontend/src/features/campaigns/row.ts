import type { ScreenId } from "../../lib/state/route";
import type { CampaignSummary } from "../../lib/api/generated";

interface Need {
  says: string;
  action?: string;
  screen?: ScreenId;
}

/** What a campaign needs before it can run, and where that is done. */
export const NEEDS: Record<CampaignSummary["missing"], Need | null> = {
  "": null,
  leads: { says: "It has no leads yet.", action: "Add leads", screen: "leads" },
  import: { says: "Its lead file was cut off before its end; import it again.", action: "Add leads", screen: "leads" },
  importing: { says: "Its lead file is being imported…" },
};

/** What waits for the user, in words; nothing when nothing does. */
export function waiting(campaign: Pick<CampaignSummary, "drafts" | "questions">): string {
  const { drafts, questions } = campaign;
  const parts = [
    drafts && `${drafts} ${drafts === 1 ? "text" : "texts"}`,
    questions && `${questions} ${questions === 1 ? "question" : "questions"}`,
  ];
  return parts.filter(Boolean).join(", ");
}
