import { expect, test } from "vitest";
import { stepTitle } from "./stepTitle";

test("a step goes by its title, and by its key once the sequence has it no more", () => {
  const titles = { hello: "Message 1", follow_up: "Message 2" };
  expect(stepTitle("hello", titles)).toBe("Message 1");
  expect(stepTitle("second_try", titles)).toBe("Second try");
  expect(stepTitle("answer:1", titles)).toBe("Your answer");
});
