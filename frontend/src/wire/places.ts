/** Where the page stands in each campaign's stream of events; tells what is new from what was seen or what was missed. */
export class Places {
  private readonly last = new Map<string, number>();

  /** "next": take it. "seen": it came before. "gap": something between was missed, so load again. */
  take(campaign: string, seq: number): "next" | "seen" | "gap" {
    const last = this.last.get(campaign);
    if (last !== undefined && seq <= last) return "seen";
    this.last.set(campaign, seq);
    return last === undefined || seq === last + 1 ? "next" : "gap";
  }

  /**
   * The feed goes on after `seq`, and everybody loads again. Nobody else may say so: what one store has loaded, the others
   * still have to hear of. It may lie before what was seen: then another device's events have those numbers now.
   */
  reached(campaign: string, seq: number): void {
    this.last.set(campaign, seq);
  }

  /** What the socket's first message tells the server. */
  after(): Record<string, number> {
    return Object.fromEntries(this.last);
  }
}
