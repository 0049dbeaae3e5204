import { count } from "../../lib/format/numbers";

/** The tallest of two spreads, so that both are drawn to one scale. */
export const tallest = (...spreads: readonly (readonly number[])[]): number => Math.max(1, ...spreads.flat());

/** "0–9" … "90–100". */
export const band = (index: number): string => (index === 9 ? "90–100" : `${index * 10}–${index * 10 + 9}`);

/** How far somebody moves: "▲ 3", "▼ 12", "". */
export function movement(before: number, after: number): string {
  if (before === after) return "";
  return after < before ? `▲ ${count(before - after)}` : `▼ ${count(after - before)}`;
}
