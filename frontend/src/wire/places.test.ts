import { expect, it } from "vitest";
import { Places } from "./places";

it("takes events in order and each once", () => {
  const places = new Places();
  expect(places.take("a", 5)).toBe("next");
  expect(places.take("a", 6)).toBe("next");
  expect(places.take("a", 6)).toBe("seen");
  expect(places.take("a", 2)).toBe("seen");
});

it("notices a gap and goes on after it", () => {
  const places = new Places();
  places.reached("a", 3);
  expect(places.take("a", 5)).toBe("gap");
  expect(places.take("a", 6)).toBe("next");
});

it("keeps campaigns apart", () => {
  const places = new Places();
  places.reached("a", 7);
  places.reached("b", 0);
  expect(places.take("b", 1)).toBe("next");
  expect(places.after()).toEqual({ a: 7, b: 1 });
});

it("takes the numbers of overtaken events again", () => {
  const places = new Places();
  places.take("a", 7);
  places.reached("a", 4);
  expect(places.take("a", 5)).toBe("next");
  expect(places.after()).toEqual({ a: 5 });
});
