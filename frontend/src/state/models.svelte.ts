import { models } from "../wire/calls/models";
import { RequestFailed } from "../wire/client";
import type { CampaignModel, ErrorShape, ModelConnection, ModelKey, ModelPreset, ModelTrial } from "../wire/generated";
import { connectionOf, drafted, draftOf, wrongWith } from "./models";
import type { ModelDraft } from "./models";
import { Refresher } from "./refresher";
import { toasts } from "./toasts.svelte";

/** Connections to models: the list, the one under change, and what trials showed. */
export class Models {
  connections = $state.raw<readonly ModelConnection[] | null>(null);
  presets = $state.raw<readonly ModelPreset[]>([]);
  error = $state.raw<ErrorShape | null>(null);
  draft = $state<ModelDraft | null>(null);
  tried = $state(false);
  busy = $state(false);
  key = $state.raw<ModelKey | null>(null);
  trials = $state.raw<Record<string, ModelTrial>>({});
  testing = $state("");
  private fresh = "";
  private opened = "";

  readonly kept = $derived(this.connections?.find((one) => one.connection.id === this.draft?.id) ?? null);
  readonly wrong: Record<string, string> = $derived(this.draft && this.tried ? wrongWith(this.draft) : {});
  readonly changed = $derived(this.draft !== null && JSON.stringify(this.draft) !== this.opened);

  async load(): Promise<void> {
    try {
      const view = await models.view();
      this.connections = view.connections;
      this.presets = view.presets;
      this.fresh = view.fresh;
      this.error = null;
    } catch (error) {
      if (!(error instanceof RequestFailed)) throw error;
      this.error = error.shape;
    }
  }

  begin(preset: ModelPreset): void {
    this.show(drafted(preset, this.fresh));
  }

  async edit(one: ModelConnection): Promise<void> {
    this.show(draftOf(one.connection));
    await this.lookForKey();
  }

  close(): void {
    this.draft = null;
    this.key = null;
  }

  /** Keep it, and its key if one was typed; whether that worked. */
  async save(secret: string): Promise<boolean> {
    const draft = this.draft;
    this.tried = true;
    if (draft === null || Object.keys(wrongWith(draft)).length > 0) return false;
    this.busy = true;
    const done = await toasts.attempt(async () => {
      await models.save(connectionOf($state.snapshot(draft), this.kept?.connection ?? null));
      this.opened = JSON.stringify(draft);
      if (secret !== "") this.key = await models.setKey(draft.id, secret);
    });
    await this.load();
    this.busy = false;
    if (done) this.close();
    return done;
  }

  async test(id: string): Promise<void> {
    this.testing = id;
    await toasts.attempt(async () => {
      this.trials = { ...this.trials, [id]: await models.test(id) };
    });
    this.testing = "";
  }

  async remove(one: ModelConnection): Promise<void> {
    if (!(await toasts.attempt(() => models.remove(one.connection.id)))) return;
    if (this.draft?.id === one.connection.id) this.close();
    await this.load();
    toasts.tell(`${one.connection.name} was removed; its key was not.`, {
      label: "Undo",
      run: () => void toasts.attempt(() => models.save(one.connection)).then(() => this.load()),
    });
  }

  async forgetKey(): Promise<void> {
    const id = this.draft?.id;
    if (id !== undefined) await toasts.attempt(async () => void (this.key = await models.forgetKey(id)));
  }

  private show(draft: ModelDraft): void {
    this.draft = draft;
    this.opened = JSON.stringify(draft);
    this.tried = false;
    this.key = null;
  }

  private async lookForKey(): Promise<void> {
    const id = this.draft?.id ?? "";
    await toasts.attempt(async () => {
      const key = await models.key(id);
      if (this.draft?.id === id) this.key = key;
    });
  }
}

/** Who proposes in one campaign, and what that has cost. */
export class ModelOf {
  view = $state.raw<CampaignModel | null>(null);
  private readonly refresher = new Refresher(() => this.load(), 500);

  constructor(readonly campaign: string) {}

  again(): void {
    this.refresher.ask();
  }

  stop(): void {
    this.refresher.stop();
  }

  async choose(proposer: string): Promise<void> {
    const before = this.view;
    const chosen = await toasts.attempt(async () => void (this.view = await models.choose(this.campaign, proposer)));
    if (chosen && before) {
      toasts.tell(`From the next turn on: ${this.view?.title ?? proposer}.`, { label: "Undo", run: () => void this.choose(before.proposer) });
    }
  }

  private async load(): Promise<void> {
    try {
      this.view = await models.of(this.campaign);
    } catch (error) {
      if (!(error instanceof RequestFailed)) throw error;
    }
  }
}
