import { skillsInstall, skillsList, skillsView } from "../../../lib/api/calls";
import type { ErrorShape, Offered, SkillLine, SkillView } from "../../../lib/api/generated";
import { WORKSPACE } from "../../../lib/live/follow";
import { Action } from "../../../lib/query/action.svelte";
import { Query } from "../../../lib/query/query.svelte";
import { toasts } from "../../../lib/app/toasts.svelte";

interface SkillsView {
  rows: readonly SkillLine[];
  /** The one that is open. */
  open: SkillView | null;
}

/** The skills of the workspace, and the one that is open. */
export class Skills extends Query<SkillsView> {
  private readonly installation = new Action();
  private openId = $state("");

  constructor() {
    super(() => this.readAll());
  }

  get rows(): readonly SkillLine[] | null {
    return this.view?.rows ?? null;
  }

  get open(): SkillView | null {
    return this.view?.open?.skill.id === this.openId ? this.view.open : null;
  }

  /** Why what was chosen could not be installed; stays until something else is. */
  get refused(): ErrorShape | null {
    return this.installation.error;
  }

  followWorkspace(): () => void {
    return this.follow(WORKSPACE, (event) => event.entity === "skill");
  }

  /** Open this skill; none for "". */
  show(id: string): void {
    this.openId = id;
    void this.load();
  }

  /** Install what the user chooses; the skill's id when there is one. */
  async install(choose: () => Promise<Offered | null>): Promise<string | null> {
    let id: string | null = null;
    await this.during(() =>
      this.installation.run(async () => {
        const chosen = await choose();
        if (chosen !== null) id = (await skillsInstall({ ticket: chosen.ticket })).id;
      }),
    );
    return id;
  }

  /** Carry out a decision and show what became of it; whether it worked. */
  async decide(command: () => Promise<void>): Promise<boolean> {
    const done = await this.during(() => toasts.attempt(command));
    this.refresh();
    return done;
  }

  private async readAll(): Promise<SkillsView> {
    const [list, open] = await Promise.all([skillsList(), this.openId === "" ? null : skillsView(this.openId)]);
    return { rows: list.rows, open };
  }
}
