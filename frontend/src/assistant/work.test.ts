import { expect, test } from "vitest";
import type { ReplyText } from "../wire/generated";
import { doing, growing } from "./work";

const reply: ReplyText = { type: "reply", campaign_id: "c", turn: 7, offset: 0, text: "{", whole: false, request_id: "r" };

test("a reply grows until its turn has ended, and only for its own request", () => {
  expect(growing(reply, "r", 6)).toBe(reply);
  expect(growing(reply, "r", 7)).toBeNull();
  expect(growing(reply, "s", 6)).toBeNull();
  expect(growing(reply, null, 6)).toBeNull();
  expect(growing(null, "r", 6)).toBeNull();
});

test("what is done now is told from how far the reply is", () => {
  expect(doing(null)).toBe("Working…");
  expect(doing(reply)).toBe("The model is writing…");
  expect(doing({ ...reply, whole: true })).toBe("Carrying it out…");
});
