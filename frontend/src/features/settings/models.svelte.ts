import {
  modelsForgetKey,
  modelsKey,
  modelsRemove,
  modelsSave,
  modelsSetKey,
  modelsTest,
  modelsView,
} from "../../lib/api/calls";
import type { ModelConnection, ModelKey, ModelPreset, ModelsView, ConnectionTest } from "../../lib/api/generated";
import { connectionOf, drafted, draftOf, wrongWith } from "./models";
import type { ModelDraft } from "./models";
import { Query } from "../../lib/query/query.svelte";
import { toasts } from "../../lib/state/toasts.svelte";

/** Connections to models: the list, the one under change, and what trials showed. */
export class Models extends Query<ModelsView> {
  readonly connections: readonly ModelConnection[] | null = $derived(this.view?.connections ?? null);
  readonly presets: readonly ModelPreset[] = $derived(this.view?.presets ?? []);
  draft = $state<ModelDraft | null>(null);
  tried = $state(false);
  /** The key as it is typed; kept until it is in the vault, or the form is closed. */
  secret = $state("");
  key = $state.raw<ModelKey | null>(null);
  trials = $state.raw<Record<string, ConnectionTest>>({});
  testing = $state("");
  private opened = "";

  readonly kept = $derived(this.connections?.find((one) => one.connection.id === this.draft?.id) ?? null);
  readonly wrong: Record<string, string> = $derived(this.draft && this.tried ? wrongWith(this.draft) : {});
  readonly changed = $derived(this.draft !== null && (this.secret !== "" || JSON.stringify(this.draft) !== this.opened));

  constructor() {
    super(modelsView);
  }

  begin(preset: ModelPreset): void {
    this.show(drafted(preset, this.view?.fresh ?? ""));
  }

  async edit(one: ModelConnection): Promise<void> {
    this.show(draftOf(one.connection));
    await this.lookForKey();
  }

  close(): void {
    this.draft = null;
    this.key = null;
    this.secret = "";
  }

  /** Keep it, and its key if one was typed; whether that worked. */
  async save(): Promise<boolean> {
    const { draft, secret } = this;
    this.tried = true;
    if (draft === null || Object.keys(wrongWith(draft)).length > 0) return false;
    return this.during(async () => {
      const done = await toasts.attempt(async () => {
        await modelsSave({ connection: connectionOf($state.snapshot(draft), this.kept?.connection ?? null) });
        this.opened = JSON.stringify(draft);
        if (secret !== "") this.key = await modelsSetKey(draft.id, { secret });
      });
      await this.load();
      if (done) this.close();
      return done;
    });
  }

  async test(id: string): Promise<void> {
    this.testing = id;
    await toasts.attempt(async () => {
      this.trials = { ...this.trials, [id]: await modelsTest(id) };
    });
    this.testing = "";
  }

  async remove(one: ModelConnection): Promise<void> {
    if (!(await toasts.attempt(() => modelsRemove(one.connection.id)))) return;
    if (this.draft?.id === one.connection.id) this.close();
    await this.load();
    toasts.info(`${one.connection.name} was removed; its key was not.`, {
      label: "Undo",
      run: () => void toasts.attempt(() => modelsSave({ connection: one.connection })).then(() => this.load()),
    });
  }

  async forgetKey(): Promise<void> {
    const id = this.draft?.id;
    if (id !== undefined) await toasts.attempt(async () => void (this.key = await modelsForgetKey(id)));
  }

  private show(draft: ModelDraft): void {
    this.draft = draft;
    this.opened = JSON.stringify(draft);
    this.tried = false;
    this.key = null;
    this.secret = "";
  }

  private async lookForKey(): Promise<void> {
    const id = this.draft?.id ?? "";
    await toasts.attempt(async () => {
      const key = await modelsKey(id);
      if (this.draft?.id === id) this.key = key;
    });
  }
}
