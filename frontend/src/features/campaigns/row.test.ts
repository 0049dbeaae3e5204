import { expect, it } from "vitest";
import { waiting } from "./row";

it("says what waits for the user", () => {
  expect(waiting({ drafts: 0, questions: 0 })).toBe("");
  expect(waiting({ drafts: 1, questions: 0 })).toBe("1 draft");
  expect(waiting({ drafts: 12, questions: 2 })).toBe("12 drafts, 2 questions");
});
