import { sync } from "../wire/calls/sync";
import type { ProjectView, SetAsideList } from "../wire/generated";
import { Loaded } from "./loaded.svelte";

/** The project that is attached, and this user's devices. */
export class Project extends Loaded<ProjectView> {
  constructor() {
    super(sync.view);
  }

  signOut(): Promise<boolean> {
    return this.change(sync.signOut);
  }

  detach(): Promise<boolean> {
    return this.change(sync.detach);
  }

  /** What a sign-in came to. */
  take(view: ProjectView): void {
    this.keep(view);
  }
}

/** Decisions that wait for a choice. */
export class SetAsides extends Loaded<SetAsideList> {
  constructor() {
    super(sync.setAside);
  }

  choose(id: string, choice: "mine" | "theirs"): Promise<boolean> {
    return this.change(() => sync.choose(id, choice));
  }
}
