import { native } from "../desktop/native";

export { inWindow } from "../desktop/native";

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

export async function tokenFromWindow(): Promise<string> {
  return (await native()).outrider_token();
}
