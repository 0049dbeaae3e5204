import { keysForget, keysKeep, keysMakeKit, keysRevoke, keysStartAnew, keysUnlock, keysView } from "../api/calls";
import { failureOf } from "../api/errors";
import type { ErrorShape, KeepKey, KeysView, RecoveryKit } from "../api/generated";
import { WORKSPACE } from "../live/follow";
import { Query } from "../query/query.svelte";
import { toasts } from "../app/toasts.svelte";

const A_MOMENT = 5_000;

/** Every key by its name, and whether they can be used. One for the whole page: it is asked for at the start, too. */
class Keys extends Query<KeysView> {
  /** A new kit, until the user has written it down; it is shown whatever screen is. */
  kit = $state.raw<RecoveryKit | null>(null);
  readonly locked = $derived(this.view?.vault.state === "locked");

  private readAt = 0;

  constructor() {
    super(keysView);
  }

  /** Read again what was not read a moment ago: another window may have unlocked it, which is no event. */
  lookAgain(): void {
    if (this.view !== null && performance.now() - this.readAt > A_MOMENT) void this.load();
  }

  protected override received(view: KeysView): KeysView {
    this.readAt = performance.now();
    return view;
  }

  /** Follow the workspace until the returned function is called. */
  open(): () => void {
    return this.follow(WORKSPACE, (event) => event.entity === "secret" || event.entity === "config");
  }

  save(name: string, key: KeepKey): Promise<boolean> {
    return this.change(() => keysKeep(name, key));
  }

  forget(name: string): Promise<boolean> {
    return this.change(() => keysForget(name));
  }

  /** Open the vault; what is wrong, null if nothing is. */
  unlock(passphrase: string, code: string): Promise<ErrorShape | null> {
    const enteredCode = code.trim() === "" ? null : code.trim();
    return this.during(() => failureOf(async () => this.set(await keysUnlock({ passphrase, code: enteredCode }))));
  }

  /** A new vault in place of one that nobody can open; what is wrong, null if nothing is. */
  startAnew(passphrase: string): Promise<ErrorShape | null> {
    return this.during(() => failureOf(async () => this.set(await keysStartAnew({ passphrase }))));
  }

  makeKit(passphrase: string): Promise<boolean> {
    return this.showKit(() => keysMakeKit({ passphrase }));
  }

  /** Take a device's access away, which makes a new kit. */
  revoke(device: string, passphrase: string): Promise<boolean> {
    return this.showKit(() => keysRevoke({ device_id: device, passphrase }));
  }

  private async showKit(make: () => Promise<RecoveryKit>): Promise<boolean> {
    const done = await this.during(() => toasts.attempt(async () => void (this.kit = await make())));
    await this.load();
    return done;
  }
}

export const keyring = new Keys();
