import { expect, test } from "vitest";
import { provenLines } from "./rehearsal";

const GOOD = { counted: true, delivered: 26, duplicates: 0, missing: 0, unapproved: 0, replied: 4, after_reply: 0, entries: 1234, broken: "" };

test("what holds is said with its numbers", () => {
  const lines = provenLines(GOOD);
  expect(lines.every((line) => line.holds)).toBe(true);
  expect(lines.map((line) => line.count)).toEqual(["Delivered 26, duplicates 0, missing 0", "26 messages, each approved by you", "4 replies, 0 messages after one", "1,234 log entries checked"]);
});

test.each([
  [{ duplicates: 1 }, "Every message was sent exactly once"],
  [{ missing: 1 }, "Every message was sent exactly once"],
  [{ unapproved: 1 }, "Nothing was sent without your approval"],
  [{ after_reply: 1 }, "Whoever replied got no further message"],
  [{ broken: "event, entry 7: does not follow" }, "The log is complete and unaltered"],
])("what does not hold is not said to hold: %o", (wrong, title) => {
  expect(provenLines({ ...GOOD, ...wrong }).filter((line) => !line.holds).map((line) => line.title)).toEqual([title]);
});

test("without its ledger nothing is said of what reached the network", () => {
  const lines = provenLines({ ...GOOD, counted: false, delivered: 0, missing: 26 });
  expect(lines.every((line) => line.holds)).toBe(true);
  expect(lines.map((line) => line.count).join()).not.toContain("26");
});
