import { expect, it } from "vitest";
import type { Ask, Word } from "./words";
import { guidance, nextStep, offers, summed } from "./words";

const ASKED: [Ask, Word[]][] = [
  ["accepted", ["connected", "not_connected", "replied", "wrong_person", "skip"]],
  ["connected", ["connected", "not_connected", "replied", "wrong_person", "skip"]],
  ["withdraw", ["withdrawn", "connected", "replied", "skip"]],
  ["replied", ["no_reply", "replied", "not_connected", "wrong_person", "skip"]],
  ["invite", ["replied", "connected", "already_sent", "wrong_person", "skip"]],
  ["write", ["replied", "already_sent", "not_connected", "wrong_person", "skip"]],
  ["outcome", ["sent", "not_sent", "replied", "connected", "wrong_person", "skip"]],
  ["outcome", ["sent", "not_sent", "replied", "not_connected", "wrong_person", "skip"]],
];

it.each(ASKED)("gives each answer to %s a key of its own, and none of those that the session has", (ask, words) => {
  const keys = offers(ask, words, "").map((offer) => offer.key);
  expect(new Set(keys).size).toBe(words.length);
  expect(keys).not.toContain("z");
});

it("says what an answer means where the question is whether they accepted", () => {
  expect(offers("accepted", ["connected", "not_connected"], "").map((offer) => offer.title)).toEqual(["They accepted", "Not yet"]);
});

it("says on which day somebody who is skipped comes back", () => {
  expect(offers("write", ["skip"], "on Mon 30 Nov").map((offer) => offer.about)).toEqual(["comes back on Mon 30 Nov"]);
});

it("asks of somebody who was not invited whether they are a contact, not whether they accepted", () => {
  expect(offers("connected", ["connected", "not_connected"], "").map((offer) => offer.title)).toEqual(["Connected", "Not connected"]);
  expect(guidance("connected", "", false)).toContain("are you connected");
});

it("copies a message only after the profile was opened, and a note at once", () => {
  expect(nextStep("write", false).takes).toBe(false);
  expect(nextStep("write", true)).toMatchObject({ takes: true, opens: false });
  expect(nextStep("invite", false)).toMatchObject({ takes: true, opens: true });
  expect(nextStep("accepted", false).takes).toBe(false);
});

it("offers to copy nothing where nothing is, or may be, copied", () => {
  const titles = [nextStep("invite", false, ""), nextStep("outcome", true, ""), nextStep("outcome", true, "Hi", "Stopped.")].map((step) => step.title);
  expect(titles).toEqual(["Open profile", "Open profile again", "Open profile"]);
  expect(offers("outcome", ["sent", "skip"], "tomorrow", "").map((offer) => offer.about)).toEqual(["without a note", "comes back tomorrow"]);
  expect(offers("outcome", ["not_sent"], "").concat(offers("outcome", ["not_sent"], "", "Hi", "Expired.")).map((offer) => offer.about)).toEqual(["comes back after an hour", "nothing goes to them for now"]);
  expect(offers("invite", ["already_sent"], "", "")[0]?.about).toBe("it is pending; the sequence continues");
  for (const opened of [false, true]) expect(guidance("outcome", "message", opened, "Hi", "Stopped.")).toContain("Do not send it now");
});

it("says where a text is pasted", () => {
  expect(guidance("outcome", "invitation", true)).toContain("Add a note");
  expect(guidance("outcome", "message", true)).toContain("nothing counts as sent until you do");
});

it("sums up what a session came to, whatever the order of the answers", () => {
  expect(summed(["skip", "sent", "replied", "sent"])).toBe("2 sent · 1 already replied · 1 skipped");
  expect(summed([])).toBe("");
});
