import { skills } from "../wire/calls/skills";
import { RequestFailed } from "../wire/client";
import type { ErrorShape, Offered, SkillLine, SkillView } from "../wire/generated";
import { Refresher } from "./refresher";
import { toasts } from "./toasts.svelte";
import { followWorkspace } from "./workspace";

const GAP = 300;

/** The skills of the workspace, and the one that is open; both follow the feed. */
export class Skills {
  rows = $state.raw<readonly SkillLine[] | null>(null);
  open = $state.raw<SkillView | null>(null);
  error = $state.raw<ErrorShape | null>(null);
  /** Why what was chosen could not be installed; stays until something else is. */
  refused = $state.raw<ErrorShape | null>(null);
  busy = $state(false);
  private wanted = "";
  private readonly refresher = new Refresher(() => this.load(), GAP);

  /** Follow until the returned function is called. */
  follow(): () => void {
    this.refresher.ask();
    const leave = followWorkspace(["skill"], () => this.refresher.ask());
    return () => {
      leave();
      this.refresher.stop();
    };
  }

  /** Open this skill; none for "". */
  show(id: string): void {
    this.wanted = id;
    if (this.open?.skill.id !== id) this.open = null;
    this.refresher.ask();
  }

  again(): void {
    this.refresher.ask();
  }

  /** Install what the user chooses; the skill's id when there is one. */
  async install(choose: () => Promise<Offered | null>): Promise<string | null> {
    this.busy = true;
    this.refused = null;
    try {
      const chosen = await choose();
      return chosen === null ? null : (await skills.install(chosen.ticket)).id;
    } catch (error) {
      if (!(error instanceof RequestFailed)) throw error;
      this.refused = error.shape;
      return null;
    } finally {
      this.busy = false;
    }
  }

  /** Carry out a decision and show what became of it; whether it worked. */
  async decide(what: () => Promise<void>): Promise<boolean> {
    this.busy = true;
    const done = await toasts.attempt(what);
    this.busy = false;
    this.refresher.ask();
    return done;
  }

  private async load(): Promise<void> {
    const wanted = this.wanted;
    try {
      const [list, view] = await Promise.all([skills.list(), wanted === "" ? null : skills.view(wanted)]);
      this.rows = list.rows;
      if (wanted === this.wanted) this.open = view;
      this.error = null;
    } catch (error) {
      if (!(error instanceof RequestFailed)) throw error;
      if (wanted === this.wanted) this.error = error.shape;
    }
  }
}
