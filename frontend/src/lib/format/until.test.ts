import { expect, it } from "vitest";
import { describeUntil } from "./until";

it.each([
  [null, "until you act"],
  [1_000, "any moment"],
  [62_000, "in 1 min 1 s"],
])("describes %s as %s", (until, shown) => expect(describeUntil(until, 1_000)).toBe(shown));
