import { readRoute } from "./route";
import type { Route } from "./route";

/** Where the user is; changes with the address. */
class Where {
  now = $state.raw<Route>(readRoute(location.hash));

  constructor() {
    window.addEventListener("hashchange", () => (this.now = readRoute(location.hash)));
  }
}

export const where = new Where();
