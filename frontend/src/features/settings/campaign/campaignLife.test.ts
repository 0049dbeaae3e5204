import { expect, it } from "vitest";
import { deletedContents } from "./campaignLife";

it("says what is deleted with a campaign", () => {
  const contents = { people: 1200, not_contacted: 3, texts: 1, replies: 0, artifacts: 2, lines: 0, entries: 9 };
  expect(deletedContents(contents)).toEqual([
    "1,200 people with all that is known of them",
    "1 message to them",
    "2 artifacts",
    "its goal, sequence and settings",
  ]);
});
