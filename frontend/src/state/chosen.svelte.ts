import { moved, standing } from "./review";
import type { Choice } from "./review";

/** What is chosen of a list that changes meanwhile, kept in the address too, so that back, forward and links work. */
export class Chosen {
  private choice = $state.raw<Choice | null>(null);
  private readonly ids: readonly string[] = $derived.by(() => this.list());
  readonly now: Choice | null = $derived(standing(this.ids, this.choice));

  /** To be made while a component is set up. `address` is where a row is found; it replaces the address shown, so that moving fills no history. */
  constructor(
    private readonly list: () => readonly string[],
    private readonly address: (id: string) => string,
  ) {
    // What is shown first stays shown, whatever comes in above it.
    $effect(() => {
      if (this.choice === null && this.now !== null) this.choice = this.now;
    });
  }

  get id(): string | null {
    return this.now?.id ?? null;
  }

  /** What was asked for by the address or the user, even if the list does not hold it. */
  get wanted(): string | null {
    return this.choice?.id ?? this.id;
  }

  /** Nothing was asked for: the first row is chosen. */
  clear(): void {
    this.choice = null;
  }

  /** A row, by pointer or from the address; one that is not loaded yet is chosen once it is. */
  take(id: string): void {
    this.set({ id, index: Math.max(this.ids.indexOf(id), 0) });
  }

  move(by: number): void {
    this.set(moved(this.ids, this.choice, by));
  }

  private set(choice: Choice | null): void {
    this.choice = choice;
    if (choice !== null && location.hash !== this.address(choice.id)) history.replaceState(history.state, "", this.address(choice.id));
  }
}
