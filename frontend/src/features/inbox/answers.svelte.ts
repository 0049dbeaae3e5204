import { SvelteMap } from "svelte/reactivity";

/** Answers that were typed and not sent: they stay whatever screen is shown. */
class TypedAnswers {
  private readonly texts = new SvelteMap<string, string>();

  text(lead: string): string {
    return this.texts.get(lead) ?? "";
  }

  type(lead: string, text: string): void {
    if (text === "") this.texts.delete(lead);
    else this.texts.set(lead, text);
  }

  any(): boolean {
    return this.texts.size > 0;
  }
}

export const typedAnswers = new TypedAnswers();
