/** The screen, from the address's fragment: "#/" or "#/campaigns/ID". */
class Route {
  campaign = $state<string | null>(read());

  constructor() {
    window.addEventListener("hashchange", () => (this.campaign = read()));
  }
}

function read(): string | null {
  return /^#\/campaigns\/([A-Za-z0-9_-]{1,64})$/.exec(location.hash)?.[1] ?? null;
}

export const linkTo = (campaign: string) => `#/campaigns/${campaign}`;

export const route = new Route();
