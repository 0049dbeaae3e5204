import type { FeedEvent } from "../api/generated";
import { PendingEvents } from "./pendingEvents";
import { Query } from "./query.svelte";

const GAP = 40;

/** A view of a campaign that shows each event of its feed at once and is read again after it. */
export class LiveQuery<View extends { seq: number }> extends Query<View> {
  private readonly pending: PendingEvents<View>;

  constructor(
    readonly campaign: string,
    read: () => Promise<View>,
    fold: (view: View, event: FeedEvent) => View,
  ) {
    super(read, GAP);
    this.pending = new PendingEvents(fold);
  }

  /** Follow the campaign until the returned function is called. */
  open(): () => void {
    const onEvent = (event: FeedEvent) => {
      this.view = this.pending.add(this.view, event);
      return true;
    };
    return this.follow(this.campaign, onEvent, () => this.pending.forget());
  }

  protected override received(view: View): View {
    return this.pending.applyTo(view);
  }
}
