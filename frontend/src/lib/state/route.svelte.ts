import { readRoute } from "./route";
import type { Route } from "./route";

/** The route that is shown; it changes with the address. */
class Router {
  route = $state.raw<Route>(readRoute(location.hash));

  constructor() {
    window.addEventListener("hashchange", () => (this.route = readRoute(location.hash)));
  }
}

export const router = new Router();
