import { describe, expect, test } from "vitest";
import type { AssistantConversation, FeedEvent, Line } from "../../lib/api/generated";
import { KEPT, detailsOf, mayChange, saidBefore, spoken, withAnswer, withEarlierLines, withLatestLines } from "./lines";
import type { LoadedLines } from "./lines";

const line = (n: number, more: Partial<Line> = {}): Line => ({ id: `l${n}`, request_id: "r", at: n, author: "user", turn: null, text: `text ${n}`, attached: [], result: null, question: null, ...more });
const lines = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => line(from + n));
const page = (from: number, to: number, before: string | null = `b${from}`): AssistantConversation => ({ lines: lines(from, to), before, working: null, has_model: false, examples: [] });
const ids = (loaded: LoadedLines) => [loaded.lines[0]?.id, loaded.lines.at(-1)?.id, loaded.lines.length];

describe("what is at hand of a conversation", () => {
  test("new lines come after those that are there, and earlier ones stay", () => {
    const loaded = withEarlierLines(withLatestLines(null, page(30, 60), true), page(0, 30, null));
    expect(ids(loaded)).toEqual(["l0", "l59", 60]);
    const after = withLatestLines(loaded, page(35, 65), true);
    expect(ids(after)).toEqual(["l0", "l64", 65]);
    expect(after.before).toBeNull();
  });

  test("a line that changed is as it was loaded last", () => {
    const after = withLatestLines(withLatestLines(null, page(0, 3), true), { ...page(0, 3), lines: [line(0), line(1, { text: "other" }), line(2)] }, true);
    expect(after.lines[1]?.text).toBe("other");
  });

  test("when something between was missed there is no gap", () => {
    expect(withLatestLines(withLatestLines(null, page(0, 30), true), page(100, 130), true)).toEqual({ lines: lines(100, 130), before: "b100" });
  });

  test("a conversation that was taken away is empty, whatever was at hand", () => {
    expect(withLatestLines(withLatestLines(null, page(0, 30), true), { lines: [], before: null, working: null, has_model: false, examples: [] }, true).lines).toEqual([]);
  });

  test("many lines are kept only for who reads them", () => {
    const loaded: LoadedLines = { lines: lines(0, KEPT + 10), before: null };
    expect(ids(withLatestLines(loaded, page(KEPT - 10, KEPT + 20), false))).toEqual(["l0", `l${KEPT + 19}`, KEPT + 20]);
    expect(ids(withLatestLines(loaded, page(KEPT - 10, KEPT + 20), true))).toEqual([`l${KEPT - 10}`, `l${KEPT + 19}`, 30]);
  });

  test("an earlier page that overlaps is not there twice", () => {
    expect(ids(withEarlierLines({ lines: lines(10, 20), before: "b" }, page(5, 12)))).toEqual(["l5", "l19", 15]);
  });

  test("an answer closes its question wherever it stands", () => {
    const question = { id: "q", kind: "confirm", question: "Save it?", choices: ["yes", "no"], answer: null };
    const loaded: LoadedLines = { lines: [line(0, { question }), ...lines(1, 40)], before: null };
    const event: FeedEvent = { campaign_id: "c", seq: 1, at: 1, kind: "InputAnswered", entity: "input_request", entity_id: "q", actor: "user", cause: "", changes: { status: "answered", answer: "yes" } };
    expect(withAnswer(loaded, event).lines[0]?.question?.answer).toBe("yes");
    expect(withAnswer(loaded, { ...event, entity_id: "other" })).toBe(loaded);
    expect(withAnswer(loaded, { ...event, kind: "InputRequested", changes: { status: "open", answer: "" } })).toBe(loaded);
  });
});

test("a request that ends while it is being read of is heard of", () => {
  const ended: FeedEvent = { campaign_id: "c", seq: 1, at: 1, kind: "TaskCompleted", entity: "task", entity_id: "r1", actor: "controller", cause: "", changes: {} };
  expect(mayChange(ended, true, null)).toBe(true);
  expect(mayChange(ended, false, "r1")).toBe(true);
  expect(mayChange(ended, false, "r2")).toBe(false);
  expect(mayChange({ ...ended, entity: "lead" }, true, null)).toBe(false);
  expect(mayChange({ ...ended, entity: "line" }, false, null)).toBe(true);
});

test("what the user said is recalled latest first, each once", () => {
  const lines = [line(1, { text: "pause" }), line(2, { author: "model", text: "{}" }), line(3, { text: "continue" }), line(4, { text: "pause" })];
  expect(saidBefore(lines)).toEqual(["pause", "continue"]);
});

test("a new line is said in few words", () => {
  expect(spoken(line(1, { author: "outrider", text: "", result: { kind: "status", sentence: "Paused.", code: "" } }))).toBe("Outrider: Paused.");
  expect(spoken(line(1, { author: "outrider", text: "", result: { kind: "artifacts", total: 3, found: [] } }))).toBe("Outrider: 3 artifacts");
  expect(spoken(line(1, { author: "model", text: "x".repeat(5_000) })).length).toBeLessThan(350);
});

test("the details of a line are with the person whom it is about, else with the turn", () => {
  const explained = { kind: "lead", lead_id: "l7" } as Line["result"];
  expect(detailsOf(line(1, { turn: 3, result: explained }), "c1")).toBe("#/campaigns/c1/leads/l7");
  expect(detailsOf(line(1, { turn: 3 }), "c1")).toBe("#/campaigns/c1/run/3");
  expect(detailsOf(line(1), "c1")).toBeNull();
});
