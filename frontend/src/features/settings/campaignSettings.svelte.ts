import { asMinutes, asTime, wrongIn } from "../../lib/state/limits";
import { Action } from "../../lib/query/action.svelte";
import { campaignSettingsEdit, campaignSettingsView } from "../../lib/api/calls";
import type { CampaignSettings, Limits } from "../../lib/api/generated";

type TimeName = "day_starts" | "day_ends";

/** A campaign's settings under change: what was shown, what the user made of it, and what is wrong with that. */
export class CampaignSettingsForm extends Action {
  shown = $state.raw<CampaignSettings | null>(null);
  said = $state("");
  name = $state("");
  goal = $state("");
  topic = $state("");
  limits = $state.raw<Limits | null>(null);
  /** What was typed as a time and is none: it stays in its field. */
  private notTimes = $state.raw<Partial<Record<TimeName, string>>>({});

  readonly changed = $derived(
    this.shown !== null &&
      (Object.keys(this.notTimes).length > 0 || this.name !== this.shown.name || this.goal !== this.shown.goal || this.topic !== this.shown.topic || !same(this.limits, this.shown.limits)),
  );
  readonly usual = $derived(this.shown !== null && same(this.limits, this.shown.defaults));
  readonly wrong: Record<string, string> = $derived.by(() => {
    if (this.shown === null || this.limits === null) return {};
    const found = wrongIn(this.limits, this.shown.bounds);
    for (const name of Object.keys(this.notTimes)) found[name] = "Enter a time, such as 09:00.";
    if (this.name.trim() === "") found["name"] = "Enter a name.";
    if (this.goal.trim() === "") found["goal"] = "Say what you want from them.";
    return found;
  });

  /** Show this campaign's settings. */
  async open(campaign: string): Promise<void> {
    this.said = "";
    await this.run(async () => this.take(await campaignSettingsView(campaign)));
  }

  set(changed: Partial<Limits>): void {
    if (this.limits) this.limits = { ...this.limits, ...changed };
    this.said = "";
  }

  /** A time as it stands in its field. */
  time(name: TimeName): string {
    return this.notTimes[name] ?? asTime(this.limits?.[name] ?? 0);
  }

  setTime(name: TimeName, text: string): void {
    const minutes = asMinutes(text);
    const { [name]: _, ...others } = this.notTimes;
    this.notTimes = minutes === null ? { ...others, [name]: text } : others;
    if (minutes !== null) this.set({ [name]: minutes });
  }

  undo(): void {
    if (this.shown) this.take(this.shown);
  }

  reset(): void {
    if (this.shown) this.limits = this.shown.defaults;
    this.notTimes = {};
    this.said = "";
  }

  async save(): Promise<void> {
    const { shown, limits, name, goal, topic } = this;
    if (shown === null || limits === null || !this.changed || Object.keys(this.wrong).length > 0) return;
    await this.run(async () => {
      await campaignSettingsEdit(shown.id, { version: shown.version, name, goal, topic, limits });
      this.take(await campaignSettingsView(shown.id));
      this.said = "Saved.";
    });
  }

  private take(settings: CampaignSettings): void {
    this.shown = settings;
    this.name = settings.name;
    this.goal = settings.goal;
    this.topic = settings.topic;
    this.limits = settings.limits;
    this.notTimes = {};
  }
}

const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
