import { soulCheck, soulRestore, soulSave, soulView } from "../../../lib/api/calls";
import { errorShapeOf, failureOf } from "../../../lib/api/errors";
import type { SoulView, TextProblem } from "../../../lib/api/generated";
import { WORKSPACE } from "../../../lib/live/follow";
import { Query } from "../../../lib/query/query.svelte";
import { Refresher } from "../../../lib/query/refresher";

const CHECK_GAP = 300;

/** The voice under change: the version that was shown, what the user made of it, and what is wrong with that. */
export class VoiceEditor extends Query<SoulView> {
  text = $state("");
  notice = $state("");
  /** The version that somebody else made while this one was being written. */
  newerVersion = $state<number | null>(null);
  readonly changed = $derived(this.view !== null && this.text !== this.view.text);
  private checked = $state.raw<{ text: string; problems: readonly TextProblem[] }>({ text: "", problems: [] });
  /** Of the text as it was checked last; while one types it may be a moment old. */
  readonly problems = $derived(this.changed ? this.checked.problems : []);
  /** Whether exactly this text was checked and may be saved. */
  readonly ready = $derived(
    this.changed && this.checked.text === this.text && this.checked.problems.length === 0 && !this.busy,
  );
  private readonly checking = new Refresher(() => this.check(), CHECK_GAP);

  constructor() {
    super(soulView);
  }

  /** Follow the workspace until the returned function is called. */
  open(): () => void {
    return this.follow(WORKSPACE, (event) => event.entity === "soul");
  }

  write(text: string): void {
    this.text = text;
    this.notice = "";
    if (this.changed) this.checking.ask();
  }

  discard(): void {
    this.error = this.newerVersion = null;
    if (this.view) this.write(this.view.text);
  }

  async save(): Promise<void> {
    if (this.ready) await this.saveAfter((version) => soulSave({ text: this.text, follows: version }));
  }

  async restore(version: number): Promise<void> {
    await this.saveAfter((follows) => soulRestore({ version, follows }), true);
  }

  /** What was typed stays. */
  protected override received(now: SoulView): SoulView {
    const isNewer = now.version !== this.view?.version && now.text !== this.text;
    if (!this.changed) this.text = now.text;
    else if (isNewer && !this.busy) this.newerVersion = now.version;
    return now;
  }

  private async saveAfter(command: (version: number) => Promise<{ version: number }>, replaces = false): Promise<void> {
    const shown = this.view;
    if (shown === null) return;
    this.error = null;
    this.error = await this.during(async () => {
      const failure = await failureOf(async () => {
        const { version } = await command(shown.version);
        if (replaces) this.text = shown.text;
        this.set(await soulView());
        this.text = this.view?.text ?? "";
        this.newerVersion = null;
        this.notice = `Saved as version ${version}. It applies from the next message on.`;
      });
      // Before anybody can save again, or that would follow the wrong version, too.
      if (failure?.code === "soul_changed") await this.load();
      return failure;
    });
  }

  private async check(): Promise<void> {
    const text = this.text;
    try {
      this.checked = { text, problems: (await soulCheck({ text })).problems };
    } catch (thrown) {
      this.error = errorShapeOf(thrown);
    }
  }
}

/** One for the whole page, so that looking elsewhere loses nothing that was typed. */
export const voice = new VoiceEditor();
