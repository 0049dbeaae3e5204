import { describe, expect, test } from "vitest";
import { newsOf } from "./news";
import { readRoute } from "./route";

const said = { campaign_id: "c1", kind: "ReplyReceived", actor: "controller", entity_id: "m1", changes: null };
const none = new Set<unknown>();
const at = (screen: string, id = "c1") => readRoute(`#/campaigns/${id}/${screen}`);

describe("what is worth a word", () => {
  test("is said where it is not seen anyway", () => {
    expect(newsOf(said, at("run"), none, false)?.link).toBe("#/campaigns/c1/inbox");
    expect(newsOf(said, readRoute("#/"), none, false)?.sentence).toBe("A reply arrived.");
    expect(newsOf(said, at("inbox"), none, false)).toBeNull();
    expect(newsOf(said, at("inbox", "c2"), none, false)).not.toBeNull();
  });

  test("is neither an everyday event nor what the user did", () => {
    expect(newsOf({ ...said, kind: "LeadImported" }, at("run"), none, false)).toBeNull();
    expect(newsOf({ ...said, kind: "TaskBlocked", actor: "user" }, at("inbox"), none, false)).toBeNull();
  });

  test("is not how a request to the assistant ended, and its question only where the assistant is not seen", () => {
    const mine = new Set(["r1"]);
    expect(newsOf({ ...said, kind: "TaskBlocked", entity_id: "r1" }, at("inbox"), mine, false)).toBeNull();
    const asks = { ...said, kind: "InputRequested", entity_id: "q1", changes: { task_id: "r1" } };
    expect(newsOf(asks, at("inbox"), mine, true)).toBeNull();
    expect(newsOf(asks, at("inbox"), mine, false)?.assistant).toBe(true);
    expect(newsOf(asks, at("inbox", "c2"), mine, true)?.assistant).toBe(true);
    expect(newsOf({ ...asks, changes: { task_id: "t1" } }, at("inbox"), mine, true)?.sentence).toBe("A question waits for you.");
  });
});
