import { keys } from "../wire/calls/keys";
import { RequestFailed } from "../wire/client";
import type { ErrorShape, KeepKey, KeysView, RecoveryKit } from "../wire/generated";
import { Loaded } from "./loaded.svelte";
import { toasts } from "./toasts.svelte";
import { followWorkspace } from "./workspace";

/** Every key by its name, and whether they can be used. One for the whole page: it is asked for at the start, too. */
class Keys extends Loaded<KeysView> {
  /** A new kit, until the user has written it down; it is shown whatever screen is. */
  kit = $state.raw<RecoveryKit | null>(null);
  readonly locked = $derived(this.view?.vault.state === "locked");

  constructor() {
    super(keys.view);
  }

  /** Read whenever the page connects or something of it changed, until the returned function is called. */
  follow(): () => void {
    return followWorkspace(["secret", "config"], () => void this.load());
  }

  save(name: string, kept: KeepKey): Promise<boolean> {
    return this.change(() => keys.keep(name, kept));
  }

  forget(name: string): Promise<boolean> {
    return this.change(() => keys.forget(name));
  }

  /** Open the vault; what is wrong, null if nothing is. */
  unlock(passphrase: string, code: string): Promise<ErrorShape | null> {
    return this.during(async () => {
      try {
        this.keep(await keys.unlock(passphrase, code.trim() === "" ? null : code.trim()));
        return null;
      } catch (error) {
        if (!(error instanceof RequestFailed)) throw error;
        return error.shape;
      }
    });
  }

  makeKit(passphrase: string): Promise<boolean> {
    return this.shown(() => keys.makeKit(passphrase));
  }

  /** Take a device's access away, which makes a new kit. */
  revoke(device: string, passphrase: string): Promise<boolean> {
    return this.shown(() => keys.revoke(device, passphrase));
  }

  private async shown(make: () => Promise<RecoveryKit>): Promise<boolean> {
    const done = await this.during(() => toasts.attempt(async () => void (this.kit = await make())));
    await this.load();
    return done;
  }
}

export const keyring = new Keys();
