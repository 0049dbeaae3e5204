import { soul } from "../wire/calls/soul";
import { RequestFailed } from "../wire/client";
import type { ErrorShape, SoulView, TextProblem } from "../wire/generated";
import { Refresher } from "./refresher";

const GAP = 300;

/** The voice under change: the version that was shown, what the user made of it, and what is wrong with that. */
export class VoiceEditing {
  shown = $state.raw<SoulView | null>(null);
  text = $state("");
  error = $state.raw<ErrorShape | null>(null);
  saving = $state(false);
  said = $state("");
  /** The version that somebody else made while this one was being written. */
  overtaken = $state<number | null>(null);
  readonly changed = $derived(this.shown !== null && this.text !== this.shown.text);
  private found = $state.raw<{ of: string; problems: readonly TextProblem[] }>({ of: "", problems: [] });
  /** Of the text as it was looked through last; while one types it may be a moment old. */
  readonly problems = $derived(this.changed ? this.found.problems : []);
  /** Whether exactly this text was looked through and may be saved. */
  readonly ready = $derived(this.changed && this.found.of === this.text && this.found.problems.length === 0 && !this.saving);
  private readonly checking = new Refresher(() => this.check(), GAP);

  /** Show what holds now; what was typed stays. */
  async load(): Promise<void> {
    await this.guarded(async () => {
      const now = await soul.view();
      if (!this.changed) this.text = now.text;
      else if (now.version !== this.shown?.version && now.text !== this.text && !this.saving) this.overtaken = now.version;
      this.shown = now;
    });
  }

  write(text: string): void {
    this.text = text;
    this.said = "";
    if (this.changed) this.checking.ask();
  }

  discard(): void {
    this.error = this.overtaken = null;
    if (this.shown) this.write(this.shown.text);
  }

  save(): Promise<void> {
    if (!this.ready) return Promise.resolve();
    return this.follow((version) => soul.save(this.text, version));
  }

  restore(version: number): Promise<void> {
    return this.follow((follows) => soul.restore(version, follows), true);
  }

  private async follow(how: (version: number) => Promise<{ version: number }>, replaces = false): Promise<void> {
    const shown = this.shown;
    if (shown === null) return;
    this.saving = true;
    const saved = await this.guarded(async () => {
      const { version } = await how(shown.version);
      if (replaces) this.text = shown.text;
      this.shown = await soul.view();
      this.text = this.shown.text;
      this.overtaken = null;
      this.said = `Saved as version ${version}. It holds from the next turn on.`;
    });
    if (!saved && this.error?.code === "soul_changed") {
      const refused = this.error;
      this.saving = false;
      await this.load(); // or the next attempt would follow the wrong version, too
      this.error = refused;
    }
    this.saving = false;
  }

  private async check(): Promise<void> {
    const text = this.text;
    try {
      this.found = { of: text, problems: (await soul.check(text)).problems };
    } catch (error) {
      if (!(error instanceof RequestFailed)) throw error;
      this.error = error.shape;
    }
  }

  private async guarded(what: () => Promise<void>): Promise<boolean> {
    this.error = null;
    try {
      await what();
      return true;
    } catch (error) {
      if (!(error instanceof RequestFailed)) throw error;
      this.error = error.shape;
      return false;
    }
  }
}

/** One for the whole page, so that looking elsewhere loses nothing that was typed. */
export const voice = new VoiceEditing();
