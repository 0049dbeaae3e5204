import campaign from "../../../../docs/guide/first-campaign.md?raw";
import daily from "../../../../docs/guide/daily-session.md?raw";
import devices from "../../../../docs/guide/devices.md?raw";
import models from "../../../../docs/guide/models.md?raw";
import troubles from "../../../../docs/guide/troubleshooting.md?raw";
import trust from "../../../../docs/guide/trust.md?raw";

/** A page of the guide, and the section of it that is about the screen; "": all of it. */
export interface GuidePage {
  page: string;
  section: string;
}

const whole = (page: string): GuidePage => ({ page, section: "" });

/** By the id of a screen, or of a section of Settings. */
const PAGES: Record<string, GuidePage> = {
  today: { page: daily, section: "Today" },
  review: { page: daily, section: "Review" },
  send: { page: daily, section: "Send" },
  inbox: { page: daily, section: "Inbox" },
  notifications: { page: daily, section: "Notifications" },
  campaigns: whole(campaign),
  wizard: { page: campaign, section: "With your own leads" },
  leads: { page: campaign, section: "Where people come from, and who is left out" },
  sequence: { page: campaign, section: "With your own leads" },
  setup: { page: campaign, section: "With your own leads" },
  people: { page: campaign, section: "Where people come from, and who is left out" },
  insights: whole(trust),
  run: { page: trust, section: "How you can check it" },
  tasks: { page: trust, section: "How you can check it" },
  timeline: { page: trust, section: "How you can check it" },
  sync: whole(devices),
  models: whole(models),
  keys: whole(models),
  voice: whole(models),
  privacy: whole(models),
};

/** What the guide says of a screen; of one that it has no page for, what to do when something is wrong. */
export const guideOf = (screen: string): GuidePage => PAGES[screen] ?? whole(troubles);
