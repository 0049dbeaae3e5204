import type { LeadDetail } from "../../lib/api/generated";

/** What follows for somebody whom another campaign, or the user before, was in touch with. */
export function consequence({ do_not_contact, with_lead }: Pick<LeadDetail, "do_not_contact" | "with_lead">): string {
  if (do_not_contact) return "They are on the do-not-contact list, too: never contacted in any campaign.";
  if (with_lead === null) return "Nothing goes to them from this campaign unless you decide otherwise.";
  return "They are left there: nothing goes to them from this campaign while that one is in touch with them.";
}
