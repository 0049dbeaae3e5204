import { newCampaignDraft } from "../api/calls";
import { failureOf } from "../api/errors";

/** The campaign that was begun in the wizard and is not made yet: its name, null if there is none. */
class UnfinishedCampaign {
  private current = $state<string | null>(null);
  private loaded = false;

  get name(): string | null {
    return this.current;
  }

  set name(name: string | null) {
    this.loaded = true;
    this.current = name;
  }

  /** Ask once for one that was begun before this page was loaded; without an answer nothing is said of it. */
  async load(): Promise<void> {
    if (this.loaded) return;
    await failureOf(async () => {
      const { name, form } = await newCampaignDraft();
      if (!this.loaded) this.name = form === "" ? null : name;
    });
  }
}

export const unfinishedCampaign = new UnfinishedCampaign();
