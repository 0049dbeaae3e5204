import { preferencesSave, preferencesView } from "../api/calls";
import { failureOf } from "../api/errors";
import type { Preferences } from "../api/generated";
import { toasts } from "./toasts.svelte";

export const ZOOMS = [90, 100, 110, 120, 130, 150, 200] as const;

/** The size of text one step larger (1) or smaller (-1), as far as there is one; 0: the usual one. */
export function zoomed(zoom: number, by: number): number {
  if (by === 0) return 100;
  const further = ZOOMS.filter((step) => (by > 0 ? step > zoom : step < zoom));
  return (by > 0 ? further[0] : further.at(-1)) ?? zoom;
}

/**
 * How Outrider looks and tells. The server writes the choice into the page's root element (`backend/api/server/page.py`), so it holds before
 * the first paint; the rules are in app.css, by the same attributes. Here it is only changed.
 */
class PagePreferences {
  current = $state.raw<Preferences>(read(document.documentElement.dataset));

  /** Show it at once and keep it; if it cannot be kept, it is as it was. */
  async choose(changed: Partial<Preferences>): Promise<void> {
    const before = this.current;
    this.show({ ...before, ...changed });
    const saved = await toasts.attempt(() => preferencesSave(this.current));
    if (!saved) this.show(before);
  }

  /** Show it, and keep it if that can be done: whether a panel is open is not worth a word. */
  tryToSave(changed: Partial<Preferences>): void {
    this.show({ ...this.current, ...changed });
    void failureOf(() => preferencesSave(this.current));
  }

  /** Ask for it: the window's first paint is by what was so when it was last closed, which need not be the latest. */
  async read(): Promise<void> {
    this.show(await preferencesView());
  }

  private show(preferences: Preferences): void {
    this.current = preferences;
    const { dataset } = document.documentElement;
    dataset["theme"] = preferences.theme;
    dataset["zoom"] = String(preferences.zoom);
    dataset["motion"] = preferences.motion;
    dataset["assistant"] = preferences.assistant;
    dataset["keys"] = preferences.keys;
    dataset["notices"] = preferences.notices;
    dataset["notice_names"] = preferences.notice_names;
  }
}

function read(data: DOMStringMap): Preferences {
  const theme = data["theme"];
  return {
    theme: theme === "light" || theme === "dark" ? theme : "system",
    zoom: Number(data["zoom"] ?? 100),
    motion: data["motion"] === "reduced" ? "reduced" : "system",
    assistant: data["assistant"] === "open" ? "open" : "closed",
    keys: data["keys"] === "combinations" ? "combinations" : "letters",
    notices: data["notices"] === "off" || data["notices"] === "desktop" ? data["notices"] : "badge",
    notice_names: data["notice_names"] === "hidden" ? "hidden" : "shown",
  };
}

export const preferences = new PagePreferences();
