import type { FeedEvent } from "../api/generated";
import { app } from "../app/app.svelte";

/** The stream of what belongs to no campaign. */
export const WORKSPACE = "workspace";

interface Listener {
  event(event: FeedEvent): void;
  /** Events were missed, or others took their place: everything shown of the stream has to be loaded again. */
  reload(): void;
}

/** Listen to one stream of the live feed (a campaign's or the workspace's; null: all) until the returned function is called. */
export function followStream(stream: string | null, listener: Listener): () => void {
  const concerns = (named: string | null) => named === null || stream === null || named === stream;
  return app.follow({
    event: (event) => concerns(event.campaign_id) && listener.event(event),
    reload: (named) => concerns(named) && listener.reload(),
  });
}
