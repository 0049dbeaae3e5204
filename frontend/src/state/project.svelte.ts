import { keys } from "../wire/calls/keys";
import { sync } from "../wire/calls/sync";
import type { ProjectView, RecoveryKit, SetAsideList } from "../wire/generated";
import { Loaded } from "./loaded.svelte";
import { toasts } from "./toasts.svelte";

/** The project that is attached, and this user's devices. */
export class Project extends Loaded<ProjectView> {
  /** Shown once. */
  kit = $state.raw<RecoveryKit | null>(null);

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

  async revoke(device: string, passphrase: string): Promise<boolean> {
    const done = await this.during(() => toasts.attempt(async () => void (this.kit = await keys.revoke(device, passphrase))));
    await this.load();
    return done;
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
