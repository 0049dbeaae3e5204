import { expect, it } from "vitest";
import { money, perPerson, share, tokens } from "./cost";

it("spells money and tokens", () => {
  expect([0, 12, 12_300, 5_000_000].map(money)).toEqual(["$0", "<$0.0001", "$0.01", "$5.00"]);
  expect([950, 1_000, 12_345, 234_567, 4_100_000].map(tokens)).toEqual(["950", "1k", "12.3k", "235k", "4.1M"]);
});

it("says what a person costs", () => {
  expect(perPerson({ calls: 5, tokens: 8_200, people: 2 })).toBe("2.5 calls and 4.1k tokens a person");
  expect(perPerson({ calls: 1, tokens: 10, people: 1 })).toBe("1 call and 10 tokens a person");
  expect(perPerson({ calls: 1, tokens: 10, people: 0 })).toBe("");
});

it("shows the larger share of a budget", () => {
  expect(share({ micros: 1, tokens: 50, most_micros: 4, most_tokens: 100 })).toBe(0.5);
  expect(share({ micros: 0, tokens: 0, most_micros: 0, most_tokens: 0 })).toBe(0);
  expect(share({ micros: 5, tokens: 0, most_micros: 0, most_tokens: 10 })).toBe(1);
});
