import { campaignsList, findPeople } from "../lib/api/calls";
import { failureOf } from "../lib/api/errors";
import type { Command } from "../lib/commands/shortcuts";
import { reveal } from "../lib/format/hiddenCharacters";
import { linkTo } from "../lib/navigation/route";
import { router } from "../lib/navigation/route.svelte";

const PAUSE = 150;
const MOST = 6;
const MOST_PEOPLE = 8;

/** What the palette finds beside commands: sections of Settings, people of every campaign, and campaigns. */
export class PaletteSearch {
  /** Whatever the words found last. */
  results = $state.raw<readonly Command[]>([]);
  sections = $state.raw<readonly Command[]>([]);
  /** Whether an answer is awaited, so that nothing can be said of it yet. */
  looking = $state(false);
  private timer: ReturnType<typeof setTimeout> | undefined;
  private latest = 0;

  /** Load what is always there. */
  async begin(): Promise<void> {
    const loaded = await import("../features/settings/sections").catch(() => null); // Asked again at the next opening.
    this.sections = loaded?.sectionCommands() ?? [];
  }

  /** Look for these words once nothing more is typed for a moment; `campaign`: whose people come first. */
  ask(words: string, campaign: string | null): void {
    clearTimeout(this.timer);
    const requestNumber = ++this.latest;
    if (words.trim().length < 2) {
      this.results = [];
      this.looking = false;
      return;
    }
    this.looking = true;
    this.timer = setTimeout(() => void this.search(words.trim(), campaign, requestNumber), PAUSE);
  }

  private async search(words: string, campaign: string | null, requestNumber: number): Promise<void> {
    await failureOf(async () => {
      const [campaigns, people] = await Promise.all([
        campaignsList({ search: words.slice(0, 120) }),
        findPeople({ words: words.slice(0, 200), near: campaign ?? "" }),
      ]);
      if (requestNumber !== this.latest) return;
      this.results = [
        ...people.people.slice(0, MOST_PEOPLE).map((lead) => ({
          id: `lead-${lead.id}`,
          title: [reveal(lead.name), reveal(lead.company)].filter(Boolean).join(" · "),
          group: "People",
          beside: reveal(lead.campaign),
          run: () => router.go(linkTo(lead.campaign_id, "leads", lead.id)),
        })),
        ...campaigns.campaigns.slice(0, MOST).map((campaign) => ({
          id: `campaign-${campaign.id}`,
          title: campaign.name,
          group: "Campaigns",
          run: () => router.go(linkTo(campaign.id)),
        })),
      ];
    });
    if (requestNumber === this.latest) this.looking = false;
  }
}
