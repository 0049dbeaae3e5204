import { inWindow, native } from "../lib/desktop/native";
import { app } from "../lib/state/app.svelte";
import { titleOf } from "./title";

/** Keep the window's title: what runs, or else the page's own title. Returns the way to stop; nothing in a plain browser. */
export function keepTitle(): () => void {
  if (!inWindow()) return () => {};
  let page = $state(document.title);
  const observer = new MutationObserver(() => (page = document.title));
  observer.observe(document.head, { subtree: true, childList: true, characterData: true });
  const stop = $effect.root(() => {
    $effect(() => {
      const title = titleOf(page || "Outrider", app.running);
      void native().then((window) => window.set_title({ title }).catch(() => null));
    });
  });
  return () => {
    observer.disconnect();
    stop();
  };
}
