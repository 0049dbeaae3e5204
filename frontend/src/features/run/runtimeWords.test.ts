import { expect, test } from "vitest";
import { localTime, projectionWords, rebuiltWords, wakeWords } from "./runtimeWords";

const projection = { position: 4, log_turn: 4, log_events: 1_200, lag: 0, rebuilt_at: null, rebuilt_from: null };

test("how far the projection is", () => {
  expect(projectionWords(projection)).toBe("up to date at turn 4, 1,200 events in the log");
  expect(projectionWords({ ...projection, lag: 1 })).toBe("1 turn behind the log, 1,200 events in the log");
  expect(rebuiltWords(projection)).toBe("never on this device");
  expect(rebuiltWords({ ...projection, rebuilt_at: 0, rebuilt_from: 1 })).toMatch(/, from 1 event$/);
});

test("a wake request says what came of it", () => {
  const wake = { id: 1, campaign_id: "C", input: "", asked_at: 0, due_at: 0, settled_at: null, said: "" };
  expect(wakeWords({ ...wake, reason: "timer", status: "armed" })).toMatch(/^Timer, .*: armed$/);
  expect(wakeWords({ ...wake, reason: "manual", status: "refused", said: "It is over." })).toMatch(/: refused\. It is over\.$/);
});

test("a field's time is this machine's", () => {
  expect(localTime("")).toBe(null);
  expect(localTime("nonsense")).toBe(null);
  expect(localTime("2026-06-01T14:05")).toBe(new Date(2026, 5, 1, 14, 5).getTime());
});
