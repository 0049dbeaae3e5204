import { app } from "./app.svelte";

/** The stream of what belongs to no campaign. */
const WORKSPACE = "workspace";

/**
 * Do it `again` whenever one of these kinds of entities may have changed, or the workspace's own stream has to be loaded anew
 * (another device's entries took the place of ours), until the returned function is called.
 */
export function followWorkspace(entities: readonly string[], again: () => void): () => void {
  return app.follow({
    event: (event) => entities.includes(event.entity) && again(),
    reload: (named) => (named === null || named === WORKSPACE) && again(),
  });
}
