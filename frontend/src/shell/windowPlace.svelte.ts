import { failureOf } from "../lib/api/errors";
import { inWindow, native } from "../lib/desktop/native";
import { above } from "../lib/app/lastKnown.svelte";
import { linkTo } from "../lib/navigation/route";
import type { Route } from "../lib/navigation/route";
import { router } from "../lib/navigation/route.svelte";

/** Where the next start begins: a campaign's screen, or the list of campaigns. */
export const placeOf = (route: Route): string => (route.name === "campaign" ? linkTo(route.id, route.screen) : "#/");

/** Have the window come back to where the user is. Returns the way to stop; nothing in a plain browser. */
export function keepPlace(): () => void {
  if (!inWindow()) return () => {};
  return $effect.root(() => {
    $effect(() => {
      const position = { address: placeOf(router.route), above: Math.round(above.pixels) };
      // Where there is no backend nothing is kept, and what is wrong is shown.
      void native().then((window) => failureOf(() => window.keep_place(position)));
    });
  });
}
