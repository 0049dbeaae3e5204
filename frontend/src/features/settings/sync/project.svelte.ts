import { conflictsChoose, conflictsList, syncCheck, syncDetach, syncNameDevice, syncSignOut, syncView } from "../../../lib/api/calls";
import type { ConflictList, ProjectCheck, ProjectView } from "../../../lib/api/generated";
import { WORKSPACE } from "../../../lib/live/follow";
import { Query } from "../../../lib/query/query.svelte";
import { toasts } from "../../../lib/app/toasts.svelte";

/** The project that is attached, and this user's devices. */
export class ProjectQuery extends Query<ProjectView> {
  /** What the latest look at it found. */
  check = $state.raw<ProjectCheck | null>(null);

  constructor() {
    super(syncView);
  }

  async look(): Promise<void> {
    const { view } = this;
    if (view === null) return;
    const { url, public_key } = view;
    await this.during(() => toasts.attempt(async () => (this.check = await syncCheck({ url, public_key }))));
  }

  /** Follow the workspace until the returned function is called. */
  open(): () => void {
    return this.follow(WORKSPACE, (event) => event.entity === "device");
  }

  nameDevice(device: string, name: string): Promise<boolean> {
    return this.change(() => syncNameDevice(device, { name }));
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
