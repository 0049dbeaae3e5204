import type { VariantRates } from "../../lib/api/generated";
import { percent } from "../../lib/format/numbers";
import { tooFew } from "./numbers";

/** The share and the range in which the true one lies; with few, that they say little. */
export function shareNote(one: VariantRates): string {
  if (tooFew(one.sent)) return `${one.good} of ${one.sent}, too few to tell`;
  const range = `${Math.round(one.low * 100)} to ${Math.round(one.high * 100)} %`;
  return `${percent(one.good, one.sent)} (${range})${one.few ? ", too few to tell" : ""}`;
}
