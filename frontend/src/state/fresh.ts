import type { FeedEvent } from "../wire/generated";
import { app } from "./app.svelte";
import type { Refresher } from "./refresher";

/**
 * Load something of a campaign (null: of all of them) now, and again whenever the feed asks for it or `hear` says of an event
 * that it may have changed, until the returned function is called. `missed` is told first when events are not to be relied on.
 */
export function keepFresh(
  campaign: string | null,
  refresher: Refresher,
  hear: (event: FeedEvent) => boolean,
  missed: () => void = () => undefined,
): () => void {
  const mine = (named: string | null) => named === null || campaign === null || named === campaign;
  const leave = app.follow({
    event: (event) => mine(event.campaign_id) && hear(event) && refresher.ask(),
    reload: (named) => {
      if (!mine(named)) return;
      missed();
      refresher.ask();
    },
  });
  refresher.ask();
  return () => {
    leave();
    refresher.stop();
  };
}
