const LONGEST = 2_000;

/**
 * Loads again when asked, never twice at a time and with a pause between two loads: `gap` milliseconds, and at least as long
 * as the load took, so that a busy server is not kept busy by being watched. Whoever asks in between gets the load that begins
 * afterwards, so what is shown is never older than the last question.
 */
export class Refresher {
  private running = false;
  private wanted = false;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private stopped = false;

  constructor(
    private readonly load: () => Promise<void>,
    private readonly gap: number,
  ) {}

  ask(): void {
    this.wanted = true;
    if (!this.running && this.timer === undefined) void this.run();
  }

  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
  }

  private async run(): Promise<void> {
    if (this.stopped || !this.wanted) return;
    this.wanted = false;
    this.running = true;
    const began = performance.now();
    try {
      await this.load();
    } finally {
      this.running = false;
      this.timer = setTimeout(() => {
        this.timer = undefined;
        void this.run();
      }, Math.min(Math.max(this.gap, performance.now() - began), LONGEST));
    }
  }
}
