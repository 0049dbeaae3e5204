import { readRoute } from "./route";
import type { Route } from "./route";

/** The route that is shown; it changes with the address. */
class Router {
  route = $state.raw<Route>(readRoute(location.hash));
  /** Whether it is still the one that the page was opened at. */
  atFirst = true;
  private hash = location.hash;

  constructor() {
    window.addEventListener("hashchange", () => this.follow());
  }

  /** Go to an address at once, not only when the browser tells: the next key already means what the new screen says. */
  go(hash: string): void {
    location.hash = hash;
    this.follow();
  }

  private follow(): void {
    if (location.hash === this.hash) return;
    this.hash = location.hash;
    this.atFirst = false;
    this.route = readRoute(location.hash);
  }
}

export const router = new Router();
