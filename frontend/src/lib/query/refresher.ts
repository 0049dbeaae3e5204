const LONGEST = 2_000;

/**
 * Loads again when asked, never twice at a time and with a pause between two loads: `gap` milliseconds, and at least as long
 * as the load took, so that a busy server is not kept busy by being watched. Asking in between leads to one more load
 * afterwards, so what is shown is never older than the last request.
 */
export class Refresher {
  private running = false;
  private requested = false;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private stopped = false;

  constructor(
    private readonly load: () => Promise<void>,
    private readonly gap: number,
  ) {}

  ask(): void {
    this.requested = true;
    if (!this.running && this.timer === undefined) void this.run();
  }

  /** Load when asked, after it was stopped. */
  start(): void {
    this.stopped = false;
  }

  /** Load nothing more. */
  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  private async run(): Promise<void> {
    if (this.stopped || !this.requested) return;
    this.requested = false;
    this.running = true;
    const began = performance.now();
    try {
      await this.load();
    } finally {
      this.running = false;
      this.timer = setTimeout(
        () => {
          this.timer = undefined;
          void this.run();
        },
        Math.min(Math.max(this.gap, performance.now() - began), LONGEST),
      );
    }
  }
}
