import { draftFrom, draftText } from "./keptDraft";
import type { KeptDraft } from "./keptDraft";
import { firstProblem, newStep, problems, sampleReaders, STEPS, withStep } from "./steps";
import type { DraftState, StepId } from "./steps";
import { leadFilesFind, newCampaignChoices, newCampaignCreate, newCampaignDraft, newCampaignKeepDraft, newCampaignPreview, newCampaignScores } from "../../lib/api/calls";
import { errorShapeOf, failureOf } from "../../lib/api/errors";
import type {
  CampaignPreview,
  ChannelOption,
  ErrorShape,
  FileScores,
  NewCampaignChoices,
  TemplateReader,
  SampleLead,
  RequestedStep,
} from "../../lib/api/generated";
import { isWhole, otherwise } from "../../lib/campaign/conditions";
import { takesNobody } from "../../lib/leads/leadFile";
import { LeadFile, lastImported } from "../../lib/leads/leadFile.svelte";
import { LimitsDraft } from "../../lib/campaign/limitsDraft.svelte";
import { Refresher } from "../../lib/query/refresher";
import { toasts } from "../../lib/app/toasts.svelte";
import { unfinishedCampaign } from "../../lib/campaign/unfinishedCampaign.svelte";
import { unsaved } from "../../lib/app/unsavedWork";

const MOST_READERS = 3;
const SAMPLE: TemplateReader = {
  full_name: "Ada Lane",
  company: "Fernhill Books",
  job_title: "Editor",
  email: "ada@example.org",
  more: {},
};

/** A campaign that is being written. It outlives its screen and its page: going elsewhere and coming back, a reload or a lost connection loses nothing. */
class NewCampaignDraft {
  step = $state<StepId>(STEPS[0].id);
  /** Steps that were left or were tried to be left: their problems are shown. */
  tried = $state.raw<ReadonlySet<StepId>>(new Set());
  name = $state("");
  goal = $state("");
  /** What it is about, in words for the reader. */
  topic = $state("");
  site = $state("linkedin_assist");
  model = $state("scripted");
  /** Leads are added later, unless there is a file. */
  later = $state(false);
  readonly file = new LeadFile();
  readonly limits = new LimitsDraft();
  preset = $state("");
  /** The user chose the sequence or wrote it: then another file changes nothing of it. */
  private picked = false;
  steps = $state<RequestedStep[]>([]);
  preview = $state.raw<CampaignPreview | null>(null);
  /** How many people of the file have each score by the goal; null without a file or a goal. */
  scores = $state.raw<FileScores | null>(null);
  private scored = "";
  choices = $state.raw<NewCampaignChoices | null>(null);
  /** Somebody of the file that was looked at then; another file has other people. */
  private chosenReader = $state.raw<{ row: SampleLead; of: string } | null>(null);
  error = $state.raw<ErrorShape | null>(null);
  creating = $state(false);
  private key = crypto.randomUUID();
  private readonly previewer = new Refresher(() => this.look(), 150);
  /** What the server keeps; null while that is not known. */
  private saved: string | null = null;
  private readonly saver = new Refresher(() => this.save(), 500);

  constructor() {
    unsaved.watch(() => this.saved !== null && this.saved !== this.text);
  }

  /** What it is called while it is not made; null if nothing was begun. */
  get unfinished(): string | null {
    return this.begun() ? this.name.trim() || "New campaign" : null;
  }

  /** All that is to be kept of it; empty if nothing was begun. */
  private get text(): string {
    if (!this.begun()) return "";
    const { key, step, name, goal, topic, site, model, later, preset, picked } = this;
    const steps = $state.snapshot(this.steps);
    return draftText({ key, step, name, goal, topic, site, model, later, preset, picked, steps, limits: this.limits.kept, file: this.file.kept });
  }

  /** Have it kept, soon, if it is another one than is kept, and told in the list of campaigns. */
  keep(): void {
    const { text, unfinished } = this;
    if (this.saved === null) return; // what is kept is not known yet
    unfinishedCampaign.name = unfinished;
    if (this.saved !== text) this.saver.ask();
  }

  /** Whom the messages are shown for: people of the file who get them, behind somebody that was chosen; without a file an invented person. */
  get readers(): TemplateReader[] {
    const sample = sampleReaders(this.steps, this.file.preview);
    const chosen = this.chosenReader?.of === this.file.id ? this.chosenReader.row : null;
    const shown = chosen === null ? sample : [chosen, ...sample.filter((row) => row.line !== chosen.line)];
    return shown.length === 0 ? [SAMPLE] : shown.slice(0, MOST_READERS);
  }

  /** The chosen way to people. */
  get channel(): ChannelOption | undefined {
    return this.choices?.sites.find((channel) => channel.id === this.site);
  }

  /** It needs the user's written consent, and there is none. */
  get lacksConsent(): boolean {
    return this.channel?.needs_consent ?? false;
  }

  /** Choose a way to people; its limits are the ones to begin with. */
  reach(site: string): void {
    this.site = site;
    if (this.choices && this.channel) this.limits.base(this.channel.limits, this.choices);
  }

  read(reader: SampleLead): void {
    this.chosenReader = { row: reader, of: this.file.id };
    this.again();
  }

  /** People of the file by their names; none while there is no file. */
  async people(words: string): Promise<SampleLead[]> {
    const file = this.file.chosen;
    if (file === null) return [];
    return words.trim() === "" ? (this.file.preview?.rows ?? []) : (await leadFilesFind({ ...file, words })).rows;
  }

  /** The sequence that suits the people of the file: contacts, strangers, or both. */
  get suited(): string {
    return this.file.preview?.preset ?? this.choices?.presets[0]?.id ?? "";
  }

  begun(): boolean {
    return this.name !== "" || this.goal !== "" || this.topic !== "" || this.limits.changed || this.file.kept !== null;
  }

  state(): DraftState {
    const { name, goal, topic, steps, preview, file, later, lacksConsent } = this;
    const { preview: read } = file;
    const leads = read === null ? (later ? "later" : "none") : file.chosen === null ? "unreadable" : takesNobody(read) ? "nobody" : "file";
    return { name, goal, topic, lacksConsent, leads, steps, preview, limits: this.limits.wrong };
  }

  wrong(step: StepId): Record<string, string> {
    return this.tried.has(step) ? problems(this.state(), step) : {};
  }

  async load(): Promise<void> {
    await this.guarded(async () => {
      const stored = this.saved === null ? await newCampaignDraft() : null;
      this.choices = await newCampaignChoices(); // a model may have been connected meanwhile
      this.reach(this.site);
      const first = this.choices.presets[0];
      if (this.preset === "" && first) this.choose(first.id);
      if (stored === null) return;
      this.saved = stored.form;
      const draft = draftFrom(stored.form);
      if (draft !== null) await this.restore(draft);
      this.keep();
    });
  }

  /** Go on with a draft as it was kept. */
  private async restore(draft: KeptDraft): Promise<void> {
    const { key, name, goal, topic, model, later, preset, picked, steps } = draft;
    Object.assign(this, { key, name, goal, topic, later, preset, picked, steps });
    if (this.choices?.models.some((option) => option.id === model)) this.model = model;
    if (this.choices?.sites.some((channel) => channel.id === draft.site)) this.reach(draft.site);
    this.limits.restore(draft.limits);
    if (draft.file !== null) await this.file.restore(draft.file);
    this.go(draft.step);
  }

  /** Forget all of it, until the user takes that back. */
  startOver(): void {
    const before = draftFrom(this.text);
    this.clear();
    if (before === null) return;
    const undo = async () => {
      await this.guarded(() => this.restore(before));
      this.keep();
    };
    toasts.info("Your entries were removed.", { label: "Undo", run: () => void undo() });
  }

  /** Go to a step: back always, forward only over steps that are in order. */
  go(target: StepId): void {
    const position = (step: StepId) => STEPS.findIndex((other) => other.id === step);
    const passed = STEPS.slice(0, position(target)).map((earlier) => earlier.id);
    const unfinished = passed.find((step) => Object.keys(problems(this.state(), step)).length > 0);
    this.tried = new Set([...this.tried, ...passed]);
    this.step = unfinished ?? target;
    if (!this.picked && this.preset !== this.suited) this.choose(this.suited);
    this.again(); // the texts are shown for people of the file
  }

  by(steps: number): void {
    const target = STEPS[STEPS.findIndex((step) => step.id === this.step) + steps];
    if (target) this.go(target.id);
  }

  /** The user's own choice. */
  pick(preset: string): void {
    this.picked = true;
    this.choose(preset);
  }

  private choose(preset: string): void {
    const chosen = this.choices?.presets.find((choice) => choice.id === preset);
    if (!chosen) return;
    this.preset = preset;
    this.steps = chosen.steps.map((step) => ({ ...step }));
    this.again();
  }

  add(kind: RequestedStep["kind"]): void {
    const usual = this.choices?.presets[0]?.steps.find((step) => step.kind === kind)?.template ?? "";
    this.change(withStep(this.steps, kind, usual));
  }

  /** A step for those who do not meet the last condition of that one. */
  otherwise(index: number): void {
    const other = otherwise(this.steps, index);
    if (other === null) return;
    const usual = this.choices?.presets[0]?.steps.find((step) => step.kind === other.kind)?.template ?? "";
    const step = { ...newStep(other.kind, this.steps[index]?.after_days ?? 0, usual), only_if: other.only_if };
    this.change([...this.steps.slice(0, other.at), step, ...this.steps.slice(other.at)]);
  }

  change(steps: RequestedStep[]): void {
    this.steps = steps;
    this.preset = "own";
    this.picked = true;
    this.again();
  }

  /** Look at the texts again, soon. */
  again(): void {
    this.previewer.ask();
  }

  /** Make it; the new campaign's id and whether a file is on its way into it, null when that did not work. */
  async create(): Promise<{ id: string; file: boolean } | null> {
    const unfinished = firstProblem(this.state());
    if (unfinished !== null) {
      this.tried = new Set(STEPS.map((step) => step.id));
      this.step = unfinished;
      return null;
    }
    this.creating = true;
    let made: { id: string; file: boolean } | null = null;
    await this.guarded(async () => {
      const { key, name, goal, topic, site, model, steps } = this;
      const file = this.file.chosen;
      const sent = $state.snapshot(steps);
      const limits = this.limits.value;
      const done = await newCampaignCreate({ key, name, goal, topic, site, model, steps: sent, limits, file });
      made = { id: done.campaign_id, file: file !== null };
      if (file !== null) lastImported.set(done.campaign_id, { file: this.file.preview?.file ?? "", chosen: file });
      this.clear();
    });
    this.creating = false;
    if (this.error?.code === "file_ticket_unknown") {
      this.file.lose();
      this.go("leads");
    }
    return made;
  }

  clear(): void {
    Object.assign(this, {
      step: STEPS[0].id,
      name: "",
      goal: "",
      topic: "",
      model: "scripted",
      later: false,
      error: null,
    });
    this.reach("linkedin_assist");
    this.limits.undo();
    this.file.drop();
    this.chosenReader = null;
    this.tried = new Set();
    this.key = crypto.randomUUID();
    this.picked = false;
    this.choose(this.suited);
  }

  private async save(): Promise<void> {
    const { text } = this;
    const error = await failureOf(() => newCampaignKeepDraft({ name: this.unfinished ?? "", form: text }));
    if (error !== null) return; // kept with the next change, and who leaves the page before is asked
    this.saved = text;
    this.keep(); // what was typed meanwhile, or taken back
  }

  private async look(): Promise<void> {
    const file = this.file.preview;
    const columns = file?.variables ?? [];
    const limits = Object.keys(this.limits.wrong).length === 0 ? this.limits.value : this.channel?.limits;
    if (!limits) return; // the choices are not there yet
    const asked = {
      goal: this.goal,
      topic: this.topic,
      // What is not said in full yet is told by the step itself.
      steps: $state.snapshot(this.steps).map((step) => ({ ...step, only_if: step.only_if.filter(isWhole) })),
      readers: this.readers.map(({ full_name, company, job_title, email, more }) => ({ full_name, company, job_title, email, more })),
      columns,
      fields: file?.usable ? file.columns.flatMap((column) => column.field ?? []) : null,
      site: this.site,
      limits,
    };
    try {
      this.preview = await newCampaignPreview(asked);
    } catch (thrown) {
      errorShapeOf(thrown);
      this.preview = null; // looked at again when it is created
    }
    await this.score();
  }

  private async score(): Promise<void> {
    const { goal } = this;
    const file = this.file.chosen;
    const by = file === null || goal.trim() === "" ? "" : JSON.stringify([goal, file]);
    if (by === this.scored) return;
    this.scored = by;
    if (file === null || by === "") return void (this.scores = null);
    const error = await failureOf(async () => (this.scores = await newCampaignScores({ goal, file })));
    if (error !== null) this.scores = null; // how many they are is said after the import
  }

  private async guarded(what: () => Promise<void>): Promise<void> {
    this.error = null;
    this.error = await failureOf(what);
  }
}

export const campaignDraft = new NewCampaignDraft();
