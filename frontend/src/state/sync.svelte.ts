import { sync } from "../wire/calls/sync";
import { toasts } from "./toasts.svelte";

/** What anybody may do about the shared store wherever they are; the feed tells what came of it. */
class SharedStore {
  busy = $state(false);

  takeOver(): Promise<void> {
    return this.ask(sync.takeOver);
  }

  tryNow(): Promise<void> {
    return this.ask(sync.now);
  }

  private async ask(command: () => Promise<unknown>): Promise<void> {
    this.busy = true;
    await toasts.attempt(command);
    this.busy = false;
  }
}

export const sharedStore = new SharedStore();
