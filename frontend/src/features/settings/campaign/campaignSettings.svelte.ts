import { unsendable } from "../../../lib/format/hiddenCharacters";
import { fieldOf } from "../../../lib/campaign/limits";
import { LimitsDraft } from "../../../lib/campaign/limitsDraft.svelte";
import { Action } from "../../../lib/query/action.svelte";
import { unsaved } from "../../../lib/app/unsavedWork";
import { errorShapeOf, failureOf } from "../../../lib/api/errors";
import { campaignSettingsEdit, campaignSettingsView } from "../../../lib/api/calls";
import type { CampaignSettings } from "../../../lib/api/generated";

/** The texts among the settings, as their fields are called. */
export const TEXTS = { name: "Name", goal: "What you want from them", topic: "What it is about" } as const;
const textNames = Object.keys(TEXTS) as (keyof typeof TEXTS)[];

/** A campaign's settings under change: what was shown, what the user made of it, and what is wrong with that. */
export class CampaignSettingsForm extends Action {
  shown = $state.raw<CampaignSettings | null>(null);
  notice = $state("");
  /** What the user changed and somebody else did, too, by its title: as it is there now. */
  elsewhere = $state.raw<Readonly<Record<string, string>>>({});
  name = $state("");
  goal = $state("");
  topic = $state("");
  readonly limits = new LimitsDraft();

  // No $derived: the form outlives the screen that asked for it first, as `LimitsDraft` does.
  get changed(): boolean {
    const { shown } = this;
    return shown !== null && (this.limits.changed || textNames.some((name) => this[name] !== shown[name]));
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
    this.notice = "";
    await this.run(async () => this.rebase(await campaignSettingsView(this.campaign)));
  }

  /** They were changed, here or elsewhere: shown as they are now, but for what the user is changing. */
  async follow(): Promise<void> {
    if (this.busy) return;
    await failureOf(async () => {
      const settings = await campaignSettingsView(this.campaign);
      if (!this.busy) this.rebase(settings);
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
    if (this.changed && Object.keys(this.wrong).length === 0) await this.run(() => this.send());
  }

  /** What another window made of the rest holds; of what both changed, the user is shown theirs first. */
  private async send(again = true): Promise<void> {
    const { shown, elsewhere } = this;
    if (shown === null) return;
    const changed = (name: keyof typeof TEXTS): string | null => (this[name] === shown[name] ? null : this[name]);
    const texts = { name: changed("name"), goal: changed("goal"), topic: changed("topic") };
    try {
      await campaignSettingsEdit(shown.id, { version: shown.version, ...texts, limits: this.limits.changed ? this.limits.value : null });
    } catch (thrown) {
      if (!again || errorShapeOf(thrown).code !== "settings_changed") throw thrown;
      this.rebase(await campaignSettingsView(this.campaign));
      return this.elsewhere === elsewhere ? this.send(false) : undefined;
    }
    this.take(await campaignSettingsView(shown.id));
    this.notice = "Saved.";
  }

  /** Go on from how they are now: what the user changed stays, and all else follows. */
  private rebase(settings: CampaignSettings): void {
    const { shown } = this;
    if (shown === null) return this.take(settings);
    const both: Record<string, string> = {};
    for (const name of textNames) {
      if (this[name] === shown[name]) this[name] = settings[name];
      else if (settings[name] !== shown[name] && settings[name] !== this[name]) both[TEXTS[name]] = settings[name];
    }
    for (const name of this.limits.base(settings.limits, settings)) {
      const { title, value } = fieldOf(name, settings.limits, settings.utc_offsets);
      both[title] = value;
    }
    this.shown = settings;
    if (!this.changed) this.elsewhere = {};
    else if (Object.keys(both).length > 0) this.elsewhere = { ...this.elsewhere, ...both };
  }

  private take(settings: CampaignSettings): void {
    this.shown = settings;
    this.elsewhere = {};
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
