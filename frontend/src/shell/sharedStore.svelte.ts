import { syncNow, syncTakeOver } from "../lib/api/calls";
import { toasts } from "../lib/app/toasts.svelte";

/** Commands about the shared store that are offered on every screen; the feed shows their effect. */
class SharedStore {
  busy = $state(false);

  takeOver(): Promise<void> {
    toasts.settled("lease_held_elsewhere");
    return this.ask(syncTakeOver);
  }

  tryNow(): Promise<void> {
    return this.ask(syncNow);
  }

  private async ask(command: () => Promise<unknown>): Promise<void> {
    this.busy = true;
    await toasts.attempt(command);
    this.busy = false;
  }
}

export const sharedStore = new SharedStore();
