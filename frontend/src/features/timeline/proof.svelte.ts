import { proofStart, proofView } from "../../lib/api/calls";
import type { Proof } from "../../lib/api/generated";
import { Query } from "../../lib/query/query.svelte";

const POLL_EVERY = 250;

/** A verification of both logs, from the button to what it found. */
export class ProofQuery extends Query<Proof> {
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly campaign: string) {
    super(() => proofView(campaign));
  }

  async begin(): Promise<void> {
    clearTimeout(this.timer);
    await this.ask(() => proofStart(this.campaign));
  }

  dismiss(): void {
    clearTimeout(this.timer);
    this.set(null);
  }

  protected override received(proof: Proof): Proof {
    if (proof.running) this.timer = setTimeout(() => void this.ask(() => proofView(this.campaign)), POLL_EVERY);
    return proof;
  }
}
