import { failureOf } from "../api/errors";
import type { ErrorShape } from "../api/generated";

/** Something the user does that may fail: whether it is under way, and the error to show beside it. */
export class Action {
  busy = $state(false);
  error = $state.raw<ErrorShape | null>(null);

  /** Do it; whether it worked. */
  async run(work: () => Promise<unknown>): Promise<boolean> {
    this.busy = true;
    this.error = null;
    try {
      this.error = await failureOf(work);
    } finally {
      this.busy = false;
    }
    return this.error === null;
  }
}
