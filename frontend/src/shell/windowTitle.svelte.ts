import { inWindow, native } from "../lib/desktop/native";
import { app } from "../lib/app/app.svelte";
import { withBadge, withoutBadge } from "./notices";
import { notices } from "./notices.svelte";
import { titleOf } from "./title";

/**
 * Keep the title: how many things wait for the user and, in the window, what runs or else the page's own title. Returns the way
 * to stop.
 */
export function keepTitle(): () => void {
  let page = $state(withoutBadge(document.title));
  const observer = new MutationObserver(() => (page = withoutBadge(document.title)));
  observer.observe(document.head, { subtree: true, childList: true, characterData: true });
  const stop = $effect.root(() => {
    $effect(() => {
      const title = withBadge(inWindow() ? titleOf(page || "Outrider", app.running) : page, notices.badge);
      if (inWindow()) void native().then((window) => window.set_title({ title }).catch(() => null));
      else if (document.title !== title) document.title = title;
    });
  });
  return () => {
    observer.disconnect();
    stop();
  };
}
