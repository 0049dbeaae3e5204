/** The last event received of each stream: whether one is new, was received before, or came after a gap. */
export class FeedPositions {
  private readonly last = new Map<string, number>();

  /** "next": it is new. "seen": it was received before. "gap": events before it were missed, so load again. */
  take(campaign: string, seq: number): "next" | "seen" | "gap" {
    const last = this.last.get(campaign);
    if (last !== undefined && seq <= last) return "seen";
    this.last.set(campaign, seq);
    return last === undefined || seq === last + 1 ? "next" : "gap";
  }

  /**
   * The feed goes on after `seq`, and everything shown is loaded again. Only the feed may say so: events that one view has
   * loaded already are still news to the others. It may lie before what was received: then another device's events have
   * those numbers now.
   */
  reset(campaign: string, seq: number): void {
    this.last.set(campaign, seq);
  }

  /** What the socket's first message tells the server. */
  toSend(): Record<string, number> {
    return Object.fromEntries(this.last);
  }
}
