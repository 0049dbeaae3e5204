import { conflictsChoose, conflictsList, syncDetach, syncSignOut, syncView } from "../../lib/api/calls";
import type { ProjectView, ConflictList } from "../../lib/api/generated";
import { WORKSPACE } from "../../lib/live/follow";
import { Query } from "../../lib/query/query.svelte";

/** The project that is attached, and this user's devices. */
export class ProjectQuery extends Query<ProjectView> {
  constructor() {
    super(syncView);
  }

  /** Follow the workspace until the returned function is called. */
  open(): () => void {
    return this.follow(WORKSPACE, (event) => event.entity === "device");
  }

  signOut(): Promise<boolean> {
    return this.change(syncSignOut);
  }

  detach(): Promise<boolean> {
    return this.change(syncDetach);
  }
}

/** Decisions of this device that are in conflict with another device's, and wait for the user's choice. */
export class ConflictsQuery extends Query<ConflictList> {
  constructor() {
    super(conflictsList);
  }

  choose(id: string, choice: "mine" | "theirs"): Promise<boolean> {
    return this.change(() => conflictsChoose(id, { choice }));
  }
}
