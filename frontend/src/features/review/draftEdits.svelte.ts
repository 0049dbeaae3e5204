import { SvelteMap } from "svelte/reactivity";

/** A text that was typed and not saved: what it was when typing began, and whom it is for. */
export interface Unsaved {
  text: string;
  base: string;
  to: string;
}

/** Texts being edited, kept until they are saved or given up: whatever screen is shown, whether Outrider answers or not. */
class UnsavedTexts {
  private readonly texts = new SvelteMap<string, Unsaved>();

  of(campaign: string, draft: string): Unsaved | undefined {
    return this.texts.get(key(campaign, draft));
  }

  /** Begin to edit; what was typed before stays. */
  begin(campaign: string, draft: string, text: string, to: string): void {
    if (!this.texts.has(key(campaign, draft))) this.texts.set(key(campaign, draft), { text, base: text, to });
  }

  keep(campaign: string, draft: string, unsaved: Unsaved): void {
    this.texts.set(key(campaign, draft), unsaved);
  }

  drop(campaign: string, draft: string): void {
    this.texts.delete(key(campaign, draft));
  }

  /** (draft, what was typed) of a campaign. */
  all(campaign: string): [string, Unsaved][] {
    return [...this.texts].flatMap(([name, unsaved]) =>
      name.startsWith(key(campaign, "")) ? [[name.slice(campaign.length + 1), unsaved] as [string, Unsaved]] : [],
    );
  }
}

const key = (campaign: string, draft: string): string => `${campaign}/${draft}`;

export const unsaved = new UnsavedTexts();
