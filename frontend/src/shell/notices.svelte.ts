import { untrack } from "svelte";
import { needsYou } from "../features/today/today";
import { allToday } from "../features/today/today.svelte";
import { notify } from "../lib/desktop/system";
import { preferences } from "../lib/app/preferences.svelte";
import { noticesOf, type Known, type Notice } from "./notices";

const MINUTE = 60_000;

/** What the user is told when they look elsewhere, as far as they want: the number in the title, and the system's notifications. */
class Notices {
  private readonly on = $derived(preferences.current.notices !== "off");
  /** How many things wait for the user. */
  readonly badge: number = $derived(this.on && allToday.view ? needsYou(allToday.view) : 0);

  /** Watch Today for what is worth a notice; returns the way to stop. */
  watch(): () => void {
    let state: Known | null = null;
    return $effect.root(() => {
      $effect(() => {
        if (!this.on) return;
        const leave = allToday.open();
        const timer = setInterval(() => allToday.refresh(), MINUTE); // hours begin without an event
        return () => {
          clearInterval(timer);
          leave();
          state = null;
        };
      });
      $effect(() => {
        const { view } = allToday;
        if (view === null || !this.on) return;
        const next = noticesOf(state, view.campaigns, untrack(() => preferences.current.notice_names) === "shown");
        state = next.state;
        if (document.hidden || !document.hasFocus()) for (const notice of next.notices) this.show(notice);
      });
    });
  }

  /** Show a notification of the system, if the user wants them. */
  show({ title, text, link }: Notice): void {
    if (preferences.current.notices === "desktop") void notify(title, text, link);
  }
}

export const notices = new Notices();
