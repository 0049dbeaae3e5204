import type { Target } from "../api/generated";
import { count, plural } from "./numbers";

/** "30 conversations this month: 11 so far". */
export const targetSentence = (target: Target): string =>
  `${plural(target.wanted, "conversation")} this month: ${count(target.so_far)} so far`;
