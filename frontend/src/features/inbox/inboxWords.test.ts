import { expect, test } from "vitest";
import { laterTimes, morningOf, suggestionOf } from "./inboxWords";

const HOUR = 3_600_000;

test("a conversation comes back in the morning of the campaign's own day", () => {
  const evening = Date.parse("2026-11-23T22:30:00Z");
  expect(laterTimes(evening, [{ since: 0, ms: 2 * HOUR }]).map((time) => new Date(time.at).toISOString())).toEqual([
    "2026-11-25T06:00:00.000Z",
    "2026-11-27T06:00:00.000Z",
    "2026-12-01T06:00:00.000Z",
    "2026-12-24T06:00:00.000Z",
  ]);
  expect(morningOf("2026-11-30", [{ since: 0, ms: 2 * HOUR }])).toBe(Date.parse("2026-11-30T06:00:00Z"));
  expect(morningOf("", [])).toBeNull();
});

test("who sends the answer is said", () => {
  const waiting = { suggestion: "wait_to_be_sent", by_hand: false, state: null, campaign_runs: true, label: "", waiting: null } as const;
  expect(suggestionOf(waiting)).toContain("about to be sent");
  expect(suggestionOf({ ...waiting, campaign_runs: false })).toContain("runs again");
  expect(suggestionOf({ ...waiting, by_hand: true })).toContain("in Send");
  const copied = { text: "Hi", can_be_taken_back: false, gates: [] };
  expect(suggestionOf({ ...waiting, by_hand: true, waiting: copied })).toBe("Your answer was copied. Say in Send whether you sent it.");
});

test("a label is not asked for twice", () => {
  const theirs = { suggestion: "answer", by_hand: false, state: null, campaign_runs: true, waiting: null } as const;
  expect(suggestionOf({ ...theirs, label: "" })).toContain("choose a label");
  expect(suggestionOf({ ...theirs, label: "interested" })).not.toContain("label");
});
