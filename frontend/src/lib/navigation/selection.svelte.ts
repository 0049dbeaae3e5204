import { moved, selected } from "./selection";
import type { Place } from "./selection";

/** The selected row of a list that changes meanwhile, kept in the address too, so that back, forward and links work. */
export class Selection {
  private position = $state.raw<Place | null>(null);
  private readonly ids: readonly string[] = $derived.by(() => this.list());
  readonly now: Place | null = $derived(selected(this.ids, this.position));

  /**
   * To be made while a component is set up. `address` is where a row is found; it replaces the address shown, so that moving
   * fills no history.
   */
  constructor(
    private readonly list: () => readonly string[],
    private readonly address: (id: string) => string,
  ) {
    // What is shown first stays shown, whatever comes in above it.
    $effect(() => {
      if (this.position === null && this.now !== null) this.position = this.now;
    });
  }

  get id(): string | null {
    return this.now?.id ?? null;
  }

  /** What was asked for by the address or the user, even if the list does not hold it. */
  get requestedId(): string | null {
    return this.position?.id ?? this.id;
  }

  /** Nothing was asked for: the first row is selected. */
  clear(): void {
    this.position = null;
  }

  /** Select a row, by pointer or from the address; one that is not loaded yet is selected once it is. */
  select(id: string): void {
    this.set({ id, index: Math.max(this.ids.indexOf(id), 0) });
  }

  move(by: number): void {
    this.set(moved(this.ids, this.position, by));
  }

  private set(position: Place | null): void {
    this.position = position;
    if (position === null) return;
    const address = this.address(position.id);
    if (location.hash !== address) history.replaceState(history.state, "", address);
  }
}
