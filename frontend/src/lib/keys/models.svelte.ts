import {
  modelsForgetKey,
  modelsKey,
  modelsNames,
  modelsRemove,
  modelsSave,
  modelsSetKey,
  modelsTest,
  modelsView,
} from "../api/calls";
import { failureOf, RequestFailed } from "../api/errors";
import type { ModelConnection, ModelKey, ModelPreset, ModelPrice, OfferedModels, ModelsView, ConnectionTest } from "../api/generated";
import {
  connectionOf,
  drafted,
  draftOf,
  failedField,
  hasPrice,
  knownPrice,
  notAsked,
  NO_SECRETS,
  openingOf,
  savedText,
  saveSteps,
  trialText,
  wrongKeyName,
  wrongSecrets,
  wrongWith,
} from "./models";
import type { FailedStep, ModelDraft, SaveStep, Secrets } from "./models";
import { Query } from "../query/query.svelte";
import { keyring } from "./keys.svelte";
import { unsaved } from "../app/unsavedWork";
import { toasts } from "../app/toasts.svelte";

/**
 * Connections to models: the list, the one under change, and what trials showed. A draft outlives its screen, in the page's
 * memory only. Secrets do not: no form would show that they are still there.
 */
export class Models extends Query<ModelsView> {
  readonly connections: readonly ModelConnection[] | null = $derived(this.view?.connections ?? null);
  readonly presets: readonly ModelPreset[] = $derived(this.view?.presets ?? []);
  draft = $state<ModelDraft | null>(null);
  /** The draft was begun from a preset: its form stays where it is when its connection is saved. */
  fresh = $state(false);
  tried = $state(false);
  /** Each is kept until it did what it was typed for, or the form is closed. */
  secrets = $state<Secrets>({ ...NO_SECRETS });
  /** Secrets were typed when the screen was left, and have to be typed again. */
  dropped = $state(false);
  key = $state.raw<ModelKey | null>(null);
  trials = $state.raw<Record<string, ConnectionTest>>({});
  testing = $state("");
  /** What was done at the last press of Save, and what ended it. */
  done = $state.raw<readonly SaveStep[]>([]);
  failed = $state.raw<FailedStep | null>(null);
  asking = $state(false);
  private names = $state.raw<{ server: string; offered: OfferedModels } | null>(null);
  private askedWith = $state("");
  private opened = "";

  readonly saved = $derived(this.connections?.find((row) => row.connection.id === this.draft?.id) ?? null);
  /** What is usual for the provider of the draft. */
  readonly preset = $derived(this.presets.find((preset) => preset.provider === this.draft?.provider) ?? null);
  readonly price: ModelPrice | null = $derived(this.draft && knownPrice(this.draft, this.preset, this.view?.prices ?? []));
  readonly opening = $derived(openingOf(keyring.view?.vault ?? null));
  /** The server that a draft is about. */
  private readonly server: string = $derived(
    JSON.stringify(this.draft && [this.draft.provider, this.draft.base_url, this.draft.plain_http, this.draft.key]),
  );
  readonly offered = $derived(this.names?.server === this.server ? this.names.offered : null);
  /** What failed, as long as what it was about is still in the form. */
  private readonly shownFailure = $derived(
    this.failed?.step === "names" && this.askedWith !== this.server + this.secrets.key ? null : this.failed,
  );
  readonly outcome = $derived(savedText(this.done, this.failed));
  readonly wrong: Record<string, string> = $derived({
    ...(this.shownFailure ? { [failedField(this.shownFailure, this.draft?.key.trim() !== "")]: `${this.shownFailure.error.sentence} ${this.shownFailure.error.remedy}`.trim() } : {}),
    ...(this.draft && this.tried ? { ...wrongWith(this.draft), ...wrongKeyName(this.draft, this.secrets), ...wrongSecrets(this.usedSecrets(), this.opening) } : {}),
  });
  readonly changed = $derived(
    this.draft !== null &&
      (Object.values(this.secrets).some((secret) => secret !== "") || JSON.stringify(this.draft) !== this.opened),
  );

  constructor() {
    super(modelsView);
  }

  begin(preset: ModelPreset): void {
    this.show(drafted(preset, this.view?.fresh ?? ""), true);
  }

  async edit(row: ModelConnection): Promise<void> {
    this.show(draftOf(row.connection), false);
    await this.lookForKey();
  }

  /** Another model is meant: a price that was proposed goes with the one before, one that the user gave stays. */
  name(model: string): void {
    const { draft, price } = this;
    if (draft === null) return;
    const ownPrice = !hasPrice(draft, null) && !hasPrice(draft, price);
    draft.model = model;
    if (ownPrice) return;
    draft.price_in = this.price?.price_in ?? Number.NaN;
    draft.price_out = this.price?.price_out ?? Number.NaN;
  }

  /** Ask the server in the form which models it offers; nobody is asked before the user wants it. */
  async listNames(): Promise<boolean> {
    const { draft, server } = this;
    if (draft === null || this.asking) return false;
    const secrets = this.usedSecrets();
    this.askedWith = server + this.secrets.key;
    this.failed = null;
    this.names = null;
    this.asking = true;
    const { provider, base_url, plain_http, key } = draft;
    const asked = { provider, base_url: base_url.trim(), plain_http, key: key.trim(), secret: secrets.key };
    let error = notAsked(draft, secrets);
    error ??= await failureOf(async () => {
      const offered = await modelsNames(asked);
      if (offered.problem) throw new RequestFailed(offered.problem, 0);
      this.names = { server, offered };
    });
    this.asking = false;
    if (error !== null && this.draft?.id === draft.id) this.failed = { step: "names", error };
    return this.offered !== null;
  }

  close(): void {
    this.draft = null;
    this.key = null;
    this.secrets = { ...NO_SECRETS };
    this.dropped = false;
  }

  /** The form's screen is left: what was typed stays, but for the secrets. */
  park(): void {
    if (this.draft === null) return;
    if (Object.values(this.secrets).some((secret) => secret !== "")) this.dropped = true;
    this.secrets = { ...NO_SECRETS };
    this.tried = false;
  }

  /** Open the vault if a key needs that, keep the connection and its key, and test it; the form closes if all of it worked. */
  async save(): Promise<boolean> {
    const { draft, opening } = this;
    const secrets = this.usedSecrets();
    this.tried = true;
    this.failed = null;
    this.done = [];
    this.dropped = false;
    if (draft === null || Object.keys(this.wrong).length > 0) return false;
    const id = draft.id;
    this.trials = Object.fromEntries(Object.entries(this.trials).filter(([other]) => other !== id));
    const worked = await this.during(async () => {
      for (const step of saveSteps(opening, secrets)) {
        const error = await failureOf(() => this.take(step, draft, secrets));
        if (error !== null) {
          this.failed = { step, error };
          break;
        }
        this.done = [...this.done, step];
      }
      await this.load();
      const trial = this.trials[id];
      return this.failed === null && trial !== undefined && trialText(trial).tone === "good";
    });
    if (worked && this.draft?.id === id) this.close();
    return worked;
  }

  async test(id: string): Promise<void> {
    this.testing = id;
    await toasts.attempt(() => this.tryOut(id));
    await this.load();
    this.testing = "";
  }

  async remove(row: ModelConnection): Promise<void> {
    if (!(await toasts.attempt(() => modelsRemove(row.connection.id)))) return;
    if (this.draft?.id === row.connection.id) this.close();
    await this.load();
    toasts.info(`${row.connection.name} was removed; its key was not.`, {
      label: "Undo",
      run: () => void toasts.attempt(() => modelsSave({ connection: row.connection })).then(() => this.load()),
    });
  }

  async forgetKey(): Promise<void> {
    const id = this.draft?.id;
    if (id !== undefined) await toasts.attempt(async () => void (this.key = await modelsForgetKey(id)));
  }

  private async take(step: SaveStep, draft: ModelDraft, secrets: Secrets): Promise<void> {
    switch (step) {
      case "vault":
      case "unlock": {
        const error = await keyring.unlock(secrets.passphrase, secrets.code);
        if (error !== null) throw new RequestFailed(error, 0);
        this.forget("passphrase", "again", "code");
        return;
      }
      case "model":
        await modelsSave({ connection: connectionOf($state.snapshot(draft), this.saved?.connection ?? null) });
        this.opened = JSON.stringify(draft);
        return;
      case "key":
        this.key = await modelsSetKey(draft.id, { secret: secrets.key });
        this.forget("key");
        return;
      case "test":
        return this.tryOut(draft.id);
    }
  }

  private async tryOut(id: string): Promise<void> {
    const trial = await modelsTest(id);
    this.trials = { ...this.trials, [id]: trial };
  }

  /** What was typed before the key's name was emptied is for nothing. */
  private usedSecrets(): Secrets {
    return this.draft?.key.trim() === "" ? { ...NO_SECRETS } : $state.snapshot(this.secrets);
  }

  private forget(...names: (keyof Secrets)[]): void {
    for (const name of names) this.secrets[name] = "";
  }

  private show(draft: ModelDraft, fresh: boolean): void {
    this.close();
    this.draft = draft;
    this.fresh = fresh;
    this.opened = JSON.stringify(draft);
    this.tried = false;
    this.done = [];
    this.failed = null;
  }

  private async lookForKey(): Promise<void> {
    const id = this.draft?.id ?? "";
    await toasts.attempt(async () => {
      const key = await modelsKey(id);
      if (this.draft?.id === id) this.key = key;
    });
  }
}

/** The one that is edited, in Settings and wherever else a model can be connected. */
export const models = new Models();
unsaved.watch(() => models.changed);
