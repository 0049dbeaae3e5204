import type { VariantRates } from "../../lib/api/generated";
import { percent } from "../../lib/format/numbers";
import { tooFew } from "./numbers";

/** The share and the range in which the true one lies; with few, that they say little. */
export function shareNote(variant: VariantRates): string {
  if (tooFew(variant.sent)) return `${variant.good} of ${variant.sent}, too few to tell`;
  const range = `${Math.round(variant.low * 100)} to ${Math.round(variant.high * 100)} %`;
  return `${percent(variant.good, variant.sent)} (${range})${variant.few ? ", too few to tell" : ""}`;
}
