import { RequestFailed } from "../../wire/client";
import { timeline } from "../../wire/calls/timeline";
import type { ErrorShape, Proof } from "../../wire/generated";

const LOOK_AGAIN = 250;

/** A walk over the logs, from the button to what it found. */
export class Prover {
  proof = $state.raw<Proof | null>(null);
  error = $state.raw<ErrorShape | null>(null);
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly campaign: string) {}

  begin(): void {
    void this.ask(() => timeline.prove(this.campaign));
  }

  dismiss(): void {
    this.stop();
    this.proof = this.error = null;
  }

  stop(): void {
    clearTimeout(this.timer);
  }

  private async ask(how: () => Promise<Proof>): Promise<void> {
    this.stop();
    try {
      this.proof = await how();
      this.error = null;
      if (this.proof.running) this.timer = setTimeout(() => void this.ask(() => timeline.proof(this.campaign)), LOOK_AGAIN);
    } catch (error) {
      if (!(error instanceof RequestFailed)) throw error;
      this.error = error.shape;
    }
  }
}
