import { expect, it } from "vitest";
import { thenSentence } from "./then";

it.each([
  [{ key: "again_2", kind: "message", after_days: 3, condition: "no_reply" as const }, "Message 2, 3 days later if there is no reply"],
  [{ key: "hello", kind: "message", after_days: 0, condition: "accepted" as const }, "Message 1, once they accept"],
  [{ key: "hello", kind: "message", after_days: 1, condition: "accepted" as const }, "Message 1, 1 day later, once they accept"],
  [{ key: "look", kind: "visit", after_days: 0, condition: "" as const }, "View the profile"],
])("says of %j what comes then", (step, expected) => expect(thenSentence(step, { hello: "Message 1", again_2: "Message 2" })).toBe(expected));
