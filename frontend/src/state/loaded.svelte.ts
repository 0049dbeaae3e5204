import { RequestFailed } from "../wire/client";
import type { ErrorShape } from "../wire/generated";
import { toasts } from "./toasts.svelte";

/** Something that is read as a whole, and what became of reading it. */
export class Loaded<View> {
  view = $state.raw<View | null>(null);
  error = $state.raw<ErrorShape | null>(null);
  busy = $state(false);
  private round = 0;

  constructor(private readonly read: () => Promise<View>) {}

  /** Read it; what is shown stays until the answer is there. */
  async load(): Promise<void> {
    const mine = ++this.round;
    try {
      const view = await this.read();
      if (mine !== this.round) return; // asked again, or changed, meanwhile
      this.view = view;
      this.error = null;
    } catch (error) {
      if (!(error instanceof RequestFailed)) throw error;
      if (mine === this.round) this.error = error.shape;
    }
  }

  /** Change it by a command that answers how it is now; a failure is shown. Whether it worked. */
  async change(command: () => Promise<View>): Promise<boolean> {
    return this.during(() => toasts.attempt(async () => this.keep(await command())));
  }

  /** While something is under way that shall not be begun twice. */
  async during<Result>(what: () => Promise<Result>): Promise<Result> {
    this.busy = true;
    try {
      return await what();
    } finally {
      this.busy = false;
    }
  }

  protected keep(view: View): void {
    this.round += 1;
    this.view = view;
    this.error = null;
  }
}
