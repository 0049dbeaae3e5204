import type { FeedEvent } from "../api/generated";

/**
 * The events that a loaded view may not contain yet: they are folded into it at once, and again into a view that was loaded
 * meanwhile but is older than they are, so that the page never goes back.
 */
export class PendingEvents<View extends { seq: number }> {
  private since: FeedEvent[] = [];

  constructor(private readonly fold: (view: View, event: FeedEvent) => View) {}

  /** The view after this event; the event is remembered until a load has it. */
  add(view: View | null, event: FeedEvent): View | null {
    this.since.push(event);
    return view === null || event.seq <= view.seq ? view : this.fold(view, event);
  }

  /** Events were missed, or others took their place: only what is loaded from now on counts. */
  forget(): void {
    this.since = [];
  }

  /** The loaded view with every event that came after it. */
  applyTo(view: View): View {
    this.since = this.since.filter((event) => event.seq > view.seq);
    return this.since.reduce(this.fold, view);
  }
}
