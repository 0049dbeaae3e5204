import { expect, it } from "vitest";
import { pausedSentence } from "./pauseAll";

const spring = { id: "a", name: "Spring", ran_here: true };

it.each([
  [[], false, "", "No campaign is on."],
  [[spring], false, "Laptop", "Paused “Spring”."],
  [[spring, spring], false, "", "Paused 2 campaigns."],
  [[spring], true, "Laptop", "Paused “Spring”. “Laptop” cannot be reached now, and stops once it hears of this."],
  [[spring], true, "", "Paused “Spring”. Another device cannot be reached now, and stops once it hears of this."],
])("of %o, out of reach %s of %s", (campaigns, out_of_reach, acting_name, expected) => {
  expect(pausedSentence({ campaigns, out_of_reach, acting_name })).toBe(expected);
});
