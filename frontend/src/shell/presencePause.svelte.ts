import { sessionReturned } from "../lib/api/calls";
import { app } from "../lib/app/app.svelte";
import { toasts } from "../lib/app/toasts.svelte";
import { notices } from "./notices.svelte";

/** The pause that began when the user was away: nothing is done until they say that it goes on. */
class PresencePause {
  busy = $state(false);
  /** When it began (ms UTC), or null. */
  readonly since: number | null = $derived(app.running.find((run) => run.away_since !== null)?.away_since ?? null);

  /** Tell the user where they are now, if they want notifications, once for each pause. Returns the way to stop. */
  watch(): () => void {
    return $effect.root(() => {
      $effect(() => {
        if (this.since !== null)
          notices.show({ title: "Outrider is paused", text: "Nothing happens while you are away. Come back to continue.", link: "" });
      });
    });
  }

  async resume(): Promise<void> {
    this.busy = true;
    await toasts.attempt(() => sessionReturned());
    this.busy = false;
  }
}

export const presencePause = new PresencePause();
