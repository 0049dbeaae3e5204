import { describe, expect, test } from "vitest";
import { notificationFor } from "./notifications";
import { readRoute } from "../lib/navigation/route";

const event = { campaign_id: "c1", kind: "ReplyReceived" as const, actor: "controller", entity_id: "m1", changes: null };
const none = new Set<unknown>();
const at = (screen: string, id = "c1") => readRoute(`#/campaigns/${id}/${screen}`);

describe("what is worth a word", () => {
  test("is said where it is not seen anyway", () => {
    expect(notificationFor(event, at("run"), none, false)?.link).toBe("#/campaigns/c1/inbox");
    expect(notificationFor(event, readRoute("#/"), none, false)?.sentence).toBe("A reply arrived.");
    expect(notificationFor(event, at("inbox"), none, false)).toBeNull();
    expect(notificationFor(event, at("inbox", "c2"), none, false)).not.toBeNull();
    const stopped = { ...event, kind: "IncidentOpened" as const };
    expect(["today", "run", "send"].map((screen) => notificationFor(stopped, at(screen), none, false))).toEqual([null, null, null]);
    expect(notificationFor(stopped, at("leads"), none, false)?.link).toBe("#/campaigns/c1/today");
  });

  test("is neither an everyday event nor what the user did", () => {
    expect(notificationFor({ ...event, kind: "LeadImported" }, at("run"), none, false)).toBeNull();
    expect(notificationFor({ ...event, kind: "TaskBlocked", actor: "user" }, at("inbox"), none, false)).toBeNull();
  });

  test("is not how a request to the assistant ended, and its question only where the assistant is not seen", () => {
    const requests = new Set(["r1"]);
    expect(notificationFor({ ...event, kind: "TaskBlocked", entity_id: "r1" }, at("inbox"), requests, false)).toBeNull();
    const asks = { ...event, kind: "InputRequested" as const, entity_id: "q1", changes: { task_id: "r1" } };
    expect(notificationFor(asks, at("inbox"), requests, true)).toBeNull();
    expect(notificationFor(asks, at("inbox"), requests, false)?.assistant).toBe(true);
    expect(notificationFor(asks, at("inbox", "c2"), requests, true)?.assistant).toBe(true);
    expect(notificationFor({ ...asks, changes: { task_id: "t1" } }, at("inbox"), requests, true)?.sentence).toBe("A question waits for you.");
  });
});
