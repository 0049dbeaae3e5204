import { wrongIn } from "../screens/settings/limits";
import { campaigns } from "../wire/calls/campaigns";
import { RequestFailed } from "../wire/client";
import type { CampaignSettings, CampaignSummary, ErrorShape, Limits } from "../wire/generated";

/** A campaign's settings under change: what was shown, what the user made of it, and what is wrong with that. */
export class CampaignEditing {
  shown = $state.raw<CampaignSettings | null>(null);
  choices = $state.raw<readonly CampaignSummary[]>([]);
  none = $state(false);
  error = $state.raw<ErrorShape | null>(null);
  saving = $state(false);
  said = $state("");
  name = $state("");
  goal = $state("");
  limits = $state.raw<Limits | null>(null);

  /** Whether anything that an approval rests on was changed; a name is only a label, a budget only an allowance. */
  readonly binding = $derived(this.shown !== null && (this.goal !== this.shown.goal || !same(unspent(this.limits), unspent(this.shown.limits))));
  readonly changed = $derived(this.binding || (this.shown !== null && (this.name !== this.shown.name || !same(this.limits, this.shown.limits))));
  readonly usual = $derived(this.shown !== null && same(this.limits, this.shown.defaults));
  readonly wrong: Record<string, string> = $derived.by(() => {
    if (this.shown === null || this.limits === null) return {};
    const found = wrongIn(this.limits, this.shown.bounds);
    if (this.name.trim() === "") found["name"] = "Give it a name.";
    if (this.goal.trim() === "") found["goal"] = "Say what it is about.";
    return found;
  });

  /** Show this campaign's settings; the newest one's when none is named. */
  async open(wanted: string): Promise<void> {
    this.said = "";
    await this.guarded(async () => {
      this.choices = (await campaigns.list(null, "")).campaigns;
      const id = wanted || this.choices[0]?.id;
      this.none = id === undefined;
      if (id !== undefined) this.take(await campaigns.settings(id));
    });
  }

  set(changed: Partial<Limits>): void {
    if (this.limits) this.limits = { ...this.limits, ...changed };
    this.said = "";
  }

  undo(): void {
    if (this.shown) this.take(this.shown);
  }

  reset(): void {
    if (this.shown) this.limits = this.shown.defaults;
    this.said = "";
  }

  async save(): Promise<void> {
    const { shown, limits, name, goal } = this;
    if (shown === null || limits === null || !this.changed || Object.keys(this.wrong).length > 0) return;
    this.saving = true;
    await this.guarded(async () => {
      const { again } = await campaigns.edit(shown.id, { version: shown.version, name, goal, limits });
      this.take(await campaigns.settings(shown.id));
      this.said = again === 0 ? "Saved." : `Saved. ${again === 1 ? "1 text waits" : `${again} texts wait`} in Review again.`;
    });
    this.saving = false;
  }

  private take(settings: CampaignSettings): void {
    this.shown = settings;
    this.name = settings.name;
    this.goal = settings.goal;
    this.limits = settings.limits;
  }

  private async guarded(what: () => Promise<void>): Promise<void> {
    this.error = null;
    try {
      await what();
    } catch (error) {
      if (!(error instanceof RequestFailed)) throw error;
      this.error = error.shape;
    }
  }
}

const unspent = (limits: Limits | null) => limits && { ...limits, model_cents: 0, model_kilotokens: 0 };
const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
