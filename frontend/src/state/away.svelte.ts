import { request } from "../wire/client";
import { notify } from "../wire/outside";
import { app } from "./app.svelte";
import { toasts } from "./toasts.svelte";

/** The pause that began when the user was away: nothing is done until they say that it goes on. */
class Away {
  busy = $state(false);
  /** When it began (ms UTC), or null. */
  readonly since: number | null = $derived(app.run.phase === "idle" ? null : app.run.away_since);

  /** Tell the user where they are now, once for each pause. Returns the way to stop. */
  watch(): () => void {
    return $effect.root(() => {
      $effect(() => {
        if (this.since !== null) void notify("Outrider is paused", "Nothing is done while you are away. Come back to continue.");
      });
    });
  }

  async goOn(): Promise<void> {
    this.busy = true;
    await toasts.attempt(() => request("/presence/return", {}));
    this.busy = false;
  }
}

export const away = new Away();
