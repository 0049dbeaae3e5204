import { expect, test } from "vitest";
import type { ReplyText } from "../../lib/api/generated";
import { progressText, streamedReply } from "./progress";

const reply: ReplyText = { type: "reply", campaign_id: "c", turn: 7, offset: 0, text: "{", whole: false, request_id: "r" };

test("a reply grows until its turn has ended, and only for its own request", () => {
  expect(streamedReply(reply, "r", 6)).toBe(reply);
  expect(streamedReply(reply, "r", 7)).toBeNull();
  expect(streamedReply(reply, "s", 6)).toBeNull();
  expect(streamedReply(reply, null, 6)).toBeNull();
  expect(streamedReply(null, "r", 6)).toBeNull();
});

test("what is done now is told from the step, and while the model writes from that", () => {
  expect(progressText(null, 0)).toBe("Working…");
  expect(progressText(null, 2)).toBe("Working: invoke agent…");
  expect(progressText(reply, 2)).toBe("The model is writing…");
  expect(progressText({ ...reply, whole: true }, 4)).toBe("Working: execute…");
  expect(progressText(null, 8)).toBe("Working…");
});
