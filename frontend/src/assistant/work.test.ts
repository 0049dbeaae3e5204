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

test("what is done now is told from the step, and while the model writes from that", () => {
  expect(doing(null, 0)).toBe("Working…");
  expect(doing(null, 2)).toBe("Working: invoke agent…");
  expect(doing(reply, 2)).toBe("The model is writing…");
  expect(doing({ ...reply, whole: true }, 4)).toBe("Working: execute…");
  expect(doing(null, 8)).toBe("Working…");
});
