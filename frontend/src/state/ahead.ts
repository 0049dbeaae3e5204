import type { FeedEvent } from "../wire/generated";

/**
 * Keeps a loaded view ahead of its loads: events are folded into it at once, and again into a view that was loaded meanwhile
 * but is older than they are, so that the page never goes back.
 */
export class Ahead<View extends { seq: number }> {
  private since: FeedEvent[] = [];

  constructor(private readonly fold: (view: View, event: FeedEvent) => View) {}

  /** The view after this event; the event is remembered until a load has it. */
  event(view: View | null, event: FeedEvent): View | null {
    this.since.push(event);
    return view === null || event.seq <= view.seq ? view : this.fold(view, event);
  }

  /** Events were missed, or have made room for others: only what is loaded from now on counts. */
  forget(): void {
    this.since = [];
  }

  /** The loaded view with every event that came after it. */
  loaded(view: View): View {
    this.since = this.since.filter((event) => event.seq > view.seq);
    return this.since.reduce(this.fold, view);
  }
}
