import { awaitNative } from "./native";

/**
 * The token of this launch, held in this module's memory and nowhere else: not in the URL, not in storage, not in a cookie.
 * In Outrider's window it comes from a named function of the window; in a plain browser the user types the terminal's code.
 */
let token = "";

export function currentToken(): string {
  return token;
}

export function keepToken(value: string): void {
  token = value;
}

export function inWindow(): boolean {
  return location.search === "?window";
}

export async function tokenFromWindow(): Promise<string> {
  const given = (await awaitNative(window)).api["outrider_token"];
  if (given === undefined) throw new Error("the window has no function outrider_token");
  return String(await given());
}
