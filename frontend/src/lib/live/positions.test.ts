import { expect, it } from "vitest";
import { FeedPositions } from "./positions";

it("takes events in order and each once", () => {
  const positions = new FeedPositions();
  expect(positions.take("a", 5)).toBe("next");
  expect(positions.take("a", 6)).toBe("next");
  expect(positions.take("a", 6)).toBe("seen");
  expect(positions.take("a", 2)).toBe("seen");
});

it("notices a gap and goes on after it", () => {
  const positions = new FeedPositions();
  positions.reset("a", 3);
  expect(positions.take("a", 5)).toBe("gap");
  expect(positions.take("a", 6)).toBe("next");
});

it("keeps campaigns apart", () => {
  const positions = new FeedPositions();
  positions.reset("a", 7);
  positions.reset("b", 0);
  expect(positions.take("b", 1)).toBe("next");
  expect(positions.toSend()).toEqual({ a: 7, b: 1 });
});

it("takes the numbers of events that were rolled back again", () => {
  const positions = new FeedPositions();
  positions.take("a", 7);
  positions.reset("a", 4);
  expect(positions.take("a", 5)).toBe("next");
  expect(positions.toSend()).toEqual({ a: 5 });
});
