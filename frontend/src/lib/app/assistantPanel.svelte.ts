import { tick } from "svelte";
import { MediaQuery } from "svelte/reactivity";
import type { FeedEvent } from "../api/generated";
import { preferences } from "./preferences.svelte";

/** Whether the assistant is beside the screens of a campaign; remembered, and the focus goes back to where it was. */
class AssistantPanel {
  readonly open: boolean = $derived(preferences.current.assistant === "open");
  /** In a media query a rem does not grow with the chosen size of text. */
  private readonly narrow = $derived(new MediaQuery(`width < ${0.64 * preferences.current.zoom}rem`, false));
  /** The user has just opened it: its field takes the focus. One that was open before does not. */
  focusOnOpen = false;
  /** What the assistant was asked for since this page is open, in all campaigns. */
  readonly requests = new Set<unknown>();
  private from: Element | null = null;

  /** In a narrow window, or with large text, it covers the screen. */
  get covers(): boolean {
    return this.narrow.current;
  }

  onEvent(event: FeedEvent): void {
    if (event.entity === "line") this.requests.add(event.changes?.["request_id"]);
  }

  toggle(): void {
    if (this.open) this.close();
    else this.show();
  }

  show(): void {
    this.from = document.activeElement;
    this.focusOnOpen = true;
    preferences.tryToSave({ assistant: "open" });
  }

  close(): void {
    preferences.tryToSave({ assistant: "closed" });
    const back = this.from?.isConnected && this.from !== document.body ? this.from : document.getElementById(OPENER);
    void tick().then(() => back instanceof HTMLElement && back.focus()); // what it covered can have the focus only then
    this.from = null;
  }
}

/** The ids of the button that opens it, and of itself. */
export const OPENER = "assistant-opener";
export const PANEL = "assistant";

export const assistantPanel = new AssistantPanel();
