import { hasTyped } from "./build";

/** Work that is in the page alone: while a component has some, closing or reloading the page asks first. */
class Unsaved {
  private readonly holders = new Set<() => boolean>();

  constructor() {
    globalThis.addEventListener?.("beforeunload", (event) => {
      if (this.held()) event.preventDefault();
    });
  }

  /** Ask `has` whenever the page is about to go, until the returned function is called. */
  watch(has: () => boolean): () => void {
    this.holders.add(has);
    return () => this.holders.delete(has);
  }

  /** Whether somebody said so. */
  held(): boolean {
    return [...this.holders].some((has) => has());
  }

  /** Whether anything would be lost, also in a field that nobody watches. */
  any(): boolean {
    return (
      this.held() || hasTyped(document.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>("input, textarea"))
    );
  }
}

export const unsaved = new Unsaved();
