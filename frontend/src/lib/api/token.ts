import { inWindow, native } from "../desktop/native";

export { inWindow } from "../desktop/native";

/**
 * The token of this launch, held in this module's memory and nowhere else: not in the URL, not in storage, not in a cookie.
 * In Outrider's window it comes from a named function of the window; in a plain browser the user types the terminal's code.
 */
let token = "";
let letThrough: () => void;
const begun = new Promise<void>((resolve) => (letThrough = resolve));
/** By this the page comes back after it was loaded again, once. The tab keeps it only from one page to the next. */
let ticket = "";
const KEPT = "outrider.ticket";

export function currentToken(): string {
  return token;
}

/** For a request: the window shows its page before there is a backend, so who asks then waits until it has begun. */
export async function awaitToken(): Promise<string> {
  if (inWindow()) await begun;
  return token;
}

export function keepToken(value: string): void {
  token = value;
}

/** Let the requests go that waited for the token, and all that come. */
export const releaseRequests = (): void => letThrough();

export async function tokenFromWindow(): Promise<string> {
  return (await native()).outrider_token();
}

export function keepTicket(value: string): void {
  ticket = value;
}

/** The ticket that the page before this one left in the tab; empty if there was none. */
export function takeTicket(page: Pick<Window, "sessionStorage">): string {
  try {
    const left = page.sessionStorage.getItem(KEPT) ?? "";
    page.sessionStorage.removeItem(KEPT);
    return left;
  } catch {
    return ""; // a browser that keeps nothing: the code is asked for
  }
}

/** Leave the ticket for the page that this one is about to be; a page that is shown again as it was has it still. */
export function leaveTicket(page: Window): void {
  page.addEventListener("pagehide", () => {
    try {
      if (ticket !== "") page.sessionStorage.setItem(KEPT, ticket);
    } catch {
      // as above
    }
  });
  page.addEventListener("pageshow", (event) => event.persisted && takeTicket(page));
}
