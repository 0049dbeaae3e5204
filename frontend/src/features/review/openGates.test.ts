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

it("names the planned day where that is later than all that holds a text back now", () => {
  const pause = { ...shut("min_spacing"), until: 90 };
  const thursday = { sentence: "Others go out before it.", until: 9_000_000 };
  expect(waitsOf([pause], false, 9_000_000)).toEqual([thursday]);
  expect(waitsOf([pause, shut("account_ok")], false, 9_000_000)).toEqual([{ sentence: "account_ok says no", until: null }, thursday]);
  expect(waitsOf([pause], false, 90)).toEqual([{ sentence: "min_spacing says no", until: 90 }]);
});

it("leaves the conversation to the user where nothing is read for them", () => {
  expect(waitsOf([shut("thread_fresh")], true)).toEqual([{ sentence: "You check the conversation first, in Send." }]);
});
