import { expect, it } from "vitest";
import { waitsOf } from "./openGates";

const open = (code: string) => ({ code, passes: true, sentence: "", until: null });
const shut = (code: string) => ({ code, passes: false, sentence: `${code} says no`, until: null });

it("tells what a text waits for besides its approval, and what Outrider sees to by itself", () => {
  const later = { ...shut("daily_limit"), until: 7 };
  expect(waitsOf([shut("approved"), later, shut("thread_fresh"), open("not_replied")])).toEqual([
    { sentence: "daily_limit says no", until: 7 },
    { sentence: "The conversation is read again first." },
  ]);
});

it("leaves the conversation to the user where nothing is read for them", () => {
  expect(waitsOf([shut("thread_fresh")], true)).toEqual([{ sentence: "You check the conversation first, in Send." }]);
});
