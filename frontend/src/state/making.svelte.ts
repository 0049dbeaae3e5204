import { firstProblem, problems, STEPS, withStep } from "../screens/wizard/steps";
import type { Making, StepId } from "../screens/wizard/steps";
import { newCampaign } from "../wire/calls/newCampaign";
import { RequestFailed } from "../wire/client";
import type { ChosenFile, ErrorShape, IntakeState, NewCampaignChoices, NewStep, Offered, PreviewedSteps } from "../wire/generated";
import { Refresher } from "./refresher";
import { unsaved } from "./unsaved";

const SAMPLE = { name: "Ada Lane", company: "Fernhill Books" };
const LOOK_AGAIN = 300;

/** A campaign in the making. It outlives its screen: going elsewhere and coming back, or a lost connection, loses nothing. */
class NewCampaignDraft {
  step = $state<StepId>("goal");
  /** Steps that were left or were tried to be left: their problems are shown. */
  tried = $state.raw<ReadonlySet<StepId>>(new Set());
  name = $state("");
  goal = $state("");
  site = $state("practice");
  leads = $state<"none" | "later" | "file">("none");
  ticket = $state("");
  file = $state.raw<ChosenFile | null>(null);
  preset = $state("");
  steps = $state<NewStep[]>([]);
  preview = $state.raw<PreviewedSteps | null>(null);
  choices = $state.raw<NewCampaignChoices | null>(null);
  error = $state.raw<ErrorShape | null>(null);
  looking = $state(false);
  creating = $state(false);
  progress = $state.raw<IntakeState | null>(null);
  private key = crypto.randomUUID();
  private readonly previewer = new Refresher(() => this.look(), 150);

  constructor() {
    unsaved.watch(() => this.begun());
  }

  begun(): boolean {
    return this.name !== "" || this.goal !== "" || this.leads === "file";
  }

  making(): Making {
    return { name: this.name, goal: this.goal, leads: this.leads, steps: this.steps, preview: this.preview };
  }

  wrong(step: StepId): Record<string, string> {
    return this.tried.has(step) ? problems(this.making(), step) : {};
  }

  async load(): Promise<void> {
    await this.guarded(async () => {
      this.choices ??= await newCampaign.choices();
      const first = this.choices.presets[0];
      if (this.preset === "" && first) this.choose(first.id);
    });
  }

  /** Go to a step: back always, forward only over steps that are in order. */
  go(wanted: StepId): void {
    const place = (step: StepId) => STEPS.findIndex((one) => one.id === step);
    const passed = STEPS.slice(0, place(wanted)).map((one) => one.id);
    const held = passed.find((step) => Object.keys(problems(this.making(), step)).length > 0);
    this.tried = new Set([...this.tried, ...passed]);
    this.step = held ?? wanted;
  }

  by(steps: number): void {
    const target = STEPS[STEPS.findIndex((one) => one.id === this.step) + steps];
    if (target) this.go(target.id);
  }

  choose(preset: string): void {
    const found = this.choices?.presets.find((one) => one.id === preset);
    if (!found) return;
    this.preset = preset;
    this.steps = found.steps.map((step) => ({ ...step }));
    this.again();
  }

  add(kind: NewStep["kind"]): void {
    const usual = this.choices?.presets[0]?.steps.find((step) => step.kind === kind)?.template ?? "";
    this.change(withStep(this.steps, kind, usual));
  }

  change(steps: NewStep[]): void {
    this.steps = steps;
    this.preset = "own";
    this.again();
  }

  /** Look at the texts again, soon. */
  again(): void {
    this.previewer.ask();
  }

  /** A file was chosen, dropped or uploaded. */
  async take(file: () => Promise<Offered | null>): Promise<void> {
    this.looking = true;
    await this.guarded(async () => {
      const offered = await file();
      if (offered === null) return;
      this.file = await newCampaign.look(offered.ticket);
      this.ticket = offered.ticket;
      this.leads = "file";
      this.again();
    });
    this.looking = false;
  }

  drop(): void {
    this.file = null;
    this.ticket = "";
    this.leads = "none";
  }

  /** Make it; the new campaign's id once its file is in, null when that did not work. */
  async create(): Promise<string | null> {
    const held = firstProblem(this.making());
    if (held !== null) {
      this.tried = new Set(STEPS.map((one) => one.id));
      this.step = held;
      return null;
    }
    this.creating = true;
    let made: string | null = null;
    await this.guarded(async () => {
      const { key, name, goal, site, steps, ticket } = this;
      const sent = $state.snapshot(steps);
      const done = await newCampaign.create({ key, name, goal, site, steps: sent, ticket: this.leads === "file" ? ticket : null });
      await this.follow(done.campaign_id);
      made = done.campaign_id;
      this.clear();
    });
    this.creating = false;
    if (this.error?.code === "file_ticket_unknown") {
      this.drop();
      this.go("leads");
    }
    return made;
  }

  clear(): void {
    Object.assign(this, { step: "goal", name: "", goal: "", site: "practice", file: null, ticket: "", leads: "none", error: null, progress: null });
    this.tried = new Set();
    this.key = crypto.randomUUID();
    this.preset = "";
    this.choose(this.choices?.presets[0]?.id ?? "");
  }

  private async follow(campaign: string): Promise<void> {
    for (;;) {
      const state = await newCampaign.intake(campaign);
      this.progress = state ?? null;
      if (state?.phase !== "running") return;
      await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN));
    }
  }

  private async look(): Promise<void> {
    const first = this.file?.rows[0] ?? SAMPLE;
    const asked = { goal: this.goal, steps: $state.snapshot(this.steps), name: first.name, company: first.company };
    try {
      this.preview = await newCampaign.preview(asked);
    } catch (error) {
      if (!(error instanceof RequestFailed)) throw error;
      this.preview = null; // looked at again when it is created
    }
  }

  private async guarded(what: () => Promise<void>): Promise<void> {
    this.error = null;
    try {
      await what();
    } catch (error) {
      if (!(error instanceof RequestFailed)) throw error;
      this.error = error.shape;
    }
  }
}

export const making = new NewCampaignDraft();
