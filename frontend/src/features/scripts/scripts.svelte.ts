import { scriptsApprove, scriptsCancel, scriptsRun, scriptsSave, scriptsState, scriptsVerify, scriptsView } from "../../lib/api/calls";
import type { ScriptState, ScriptsView } from "../../lib/api/generated";
import { hiddenCodePoints } from "../../lib/format/hiddenCharacters";
import { Query } from "../../lib/query/query.svelte";

/** A campaign's scripts: what there is, the run that is under way or ended last, and the script that is being written. */
export class ScriptDesk extends Query<ScriptsView> {
  /** What was typed; it outlives the screen. */
  source = $state("");
  key = $state("script");
  readonly state: Query<ScriptState>;

  constructor(private readonly campaign: string) {
    super(() => scriptsView(campaign));
    this.state = new Query(() => scriptsState(campaign));
  }

  // No $derived: the desk outlives the screen that asked for it first, and a $derived would stand still with that screen.
  get run(): ScriptState["run"] {
    return this.state.view?.run ?? null;
  }
  get running(): boolean {
    return this.run !== null && this.run.phase !== "ended";
  }

  /** Read everything again. */
  async reload(): Promise<void> {
    await Promise.all([this.load(), this.state.load()]);
  }

  /** Record the approval of exactly this text, and run it. Whether it began. */
  approve(key: string, source: string, sha256: string): Promise<boolean> {
    return this.state.change(() => scriptsApprove(this.campaign, { key, source, sha256, hidden: hiddenCodePoints(source) }));
  }

  /** Run an approved script again, on today's data. */
  again(sha256: string): Promise<boolean> {
    return this.state.change(() => scriptsRun(this.campaign, { sha256 }));
  }

  /** Run a saved result's script again, on the data as it was. */
  verify(result: string): Promise<boolean> {
    return this.state.change(() => scriptsVerify(this.campaign, result));
  }

  /** Keep the answer of the last run. */
  async save(): Promise<void> {
    const run = this.run;
    if (run !== null && (await this.state.change(() => scriptsSave(this.campaign, { run_id: run.id })))) await this.load();
  }

  /** End the run. */
  async cancel(): Promise<void> {
    await this.state.during(() => scriptsCancel(this.campaign));
  }
}

const desks = new Map<string, ScriptDesk>();

/** The campaign's, the same one for as long as the page is open. */
export function deskOf(campaign: string): ScriptDesk {
  const desk = desks.get(campaign) ?? new ScriptDesk(campaign);
  desks.set(campaign, desk);
  return desk;
}
