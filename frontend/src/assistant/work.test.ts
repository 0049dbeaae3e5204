import { expect, test } from "vitest";
import type { ReplyText, StepTicker } from "../wire/generated";
import { doing, growing } from "./work";

const step = (n: number): StepTicker => ({ type: "step", campaign_id: "c", step: n, what: "", task: "" });
const reply: ReplyText = { type: "reply", campaign_id: "c", turn: 7, offset: 0, text: "{", whole: false };

test("what a request's turn does is told by the step after the last closed one", () => {
  expect(doing(null, false)).toBe("Working…");
  expect(doing(step(4), false)).toBe("Execute…");
  expect(doing(step(8), false)).toBe("Working…");
  expect(doing(step(2), true)).toBe("The model is writing…");
});

test("a reply grows until its turn is a line, and only in its own campaign", () => {
  expect(growing(reply, "c", new Set([6]))).toBe(reply);
  expect(growing(reply, "c", new Set([7]))).toBeNull();
  expect(growing(reply, "d", new Set())).toBeNull();
  expect(growing(null, "c", new Set())).toBeNull();
});
