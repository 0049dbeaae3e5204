import { expect, it } from "vitest";
import { shareNote } from "./variants";

const rates = { step: "hello", kind: "message", variant: "b", sent: 40, accepted: 0, replied: 10, good: 10, low: 0.142, high: 0.402, few: false };

it("says a variant's share with its range, and when it says little", () => {
  expect(shareNote(rates)).toBe("25 % (14 to 40 %)");
  expect(shareNote({ ...rates, few: true })).toContain("too few to tell");
  expect(shareNote({ ...rates, sent: 2, good: 1, few: true })).toBe("1 of 2, too few to tell");
});
