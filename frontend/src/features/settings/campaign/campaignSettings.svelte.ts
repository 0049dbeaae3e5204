import { unsendable } from "../../../lib/format/hiddenCharacters";
import { LimitsDraft } from "../../../lib/campaign/limitsDraft.svelte";
import { Action } from "../../../lib/query/action.svelte";
import { unsaved } from "../../../lib/app/unsavedWork";
import { failureOf } from "../../../lib/api/errors";
import { campaignSettingsEdit, campaignSettingsView } from "../../../lib/api/calls";
import type { CampaignSettings } from "../../../lib/api/generated";

/** A campaign's settings under change: what was shown, what the user made of it, and what is wrong with that. */
export class CampaignSettingsForm extends Action {
  shown = $state.raw<CampaignSettings | null>(null);
  notice = $state("");
  name = $state("");
  goal = $state("");
  topic = $state("");
  readonly limits = new LimitsDraft();

  // No $derived: the form outlives the screen that asked for it first, as `LimitsDraft` does.
  get changed(): boolean {
    const { shown } = this;
    return shown !== null && (this.limits.changed || this.name !== shown.name || this.goal !== shown.goal || this.topic !== shown.topic);
  }
  get usual(): boolean {
    return this.shown !== null && this.limits.is(this.shown.defaults);
  }
  get wrong(): Record<string, string> {
    if (this.shown === null) return {};
    const problems = { ...this.limits.wrong };
    if (this.name.trim() === "") problems["name"] = "Enter a name.";
    if (this.goal.trim() === "") problems["goal"] = "Say what you want from them.";
    if (this.topic !== this.shown.topic && unsendable(this.topic)) problems["topic"] = unsendable(this.topic);
    return problems;
  }

  constructor(private readonly campaign: string) {
    super();
  }

  /** Show them when the user comes to them; what they changed and did not save stays, also what they type meanwhile. */
  async open(): Promise<void> {
    if (!this.changed) await this.load((settings) => !this.changed && this.take(settings));
  }

  /** Show them as they are now, whatever the user made of them. */
  async show(): Promise<void> {
    await this.load((settings) => this.take(settings));
  }

  /** They were changed, here or elsewhere: shown as they are now, unless the user is changing them. */
  async follow(): Promise<void> {
    if (this.changed || this.busy) return;
    await failureOf(async () => {
      const settings = await campaignSettingsView(this.campaign);
      if (!this.changed && !this.busy) this.take(settings);
    });
  }

  undo(): void {
    if (this.shown) this.take(this.shown);
  }

  reset(): void {
    this.limits.undo();
    if (this.shown) this.limits.set(this.shown.defaults);
    this.notice = "";
  }

  async save(): Promise<void> {
    const { shown, name, goal, topic } = this;
    const limits = this.limits.value;
    if (shown === null || limits === null || !this.changed || Object.keys(this.wrong).length > 0) return;
    const changed = <Value>(value: Value, before: Value): Value | null => (value === before ? null : value);
    await this.run(async () => {
      await campaignSettingsEdit(shown.id, {
        version: shown.version,
        name: changed(name, shown.name), // what another window made of the rest holds
        goal: changed(goal, shown.goal),
        topic: changed(topic, shown.topic),
        limits: this.limits.changed ? limits : null,
      });
      this.take(await campaignSettingsView(shown.id));
      this.notice = "Saved.";
    });
  }

  private async load(received: (settings: CampaignSettings) => void): Promise<void> {
    this.notice = "";
    await this.run(async () => received(await campaignSettingsView(this.campaign)));
  }

  private take(settings: CampaignSettings): void {
    this.shown = settings;
    this.name = settings.name;
    this.goal = settings.goal;
    this.topic = settings.topic;
    this.limits.base(settings.limits, settings);
    this.limits.undo();
  }
}

/** One for each campaign, so that looking elsewhere loses nothing that was typed. */
const forms = new Map<string, CampaignSettingsForm>();
unsaved.watch(() => [...forms.values()].some((form) => form.changed));

export function settingsFormOf(campaign: string): CampaignSettingsForm {
  const form = forms.get(campaign) ?? new CampaignSettingsForm(campaign);
  forms.set(campaign, form);
  return form;
}
