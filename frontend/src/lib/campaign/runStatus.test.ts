import { describe, expect, it } from "vitest";
import { BY_HAND, type RunState } from "../api/generated";
import { runStatus } from "./runStatus";

type Seen = Parameters<typeof runStatus>[0];
const idle: RunState = { phase: "idle", campaign_id: "a", name: "", once: false, nothing_eligible: null, until: null, away_since: null, halt: null, because: [], error: null, checks: [], told: [] };
const view = { id: "a", site: "practice", status: "active", status_reason: "", present: true, position: { task: "Reach out to Ada", turn: 9 }, needs: {}, incidents: [] } as unknown as Seen;
const running = (more: Partial<RunState> = {}): RunState => ({ ...idle, phase: "running", ...more });
const statusOf = (seen: Partial<Seen>, run: RunState) => runStatus({ ...view, ...seen }, run, 1_000);

describe("while it runs", () => {
  it.each([
    ["works", {}, running(), "Working", "Reach out to Ada"],
    ["takes one step", {}, running({ once: true }), "One step…", "Reach out to Ada"],
    ["starts", {}, { ...running(), phase: "starting" as const }, "Starting…", "the browser"],
    ["stops", {}, { ...running(), phase: "stopping" as const }, "Stopping…", "The current action is finished first."],
    ["is held", {}, running({ nothing_eligible: { until: 61_000, held_reasons: ["It is outside working hours."], model_silent_since: null, for_user: false, new_replies: 0 } }), "Waiting", "It is outside working hours. May change in 1 min."],
    ["waits for the user's hand", {}, running({ nothing_eligible: { until: 61_000, held_reasons: ["People are waiting for you in Send."], model_silent_since: null, for_user: true, new_replies: 0 } }), "Waiting for you", "People are waiting for you in Send."],
    ["waits for the user's hand and is held, too", {}, running({ nothing_eligible: { until: 61_000, held_reasons: ["Today's limit of 2 invitations leaves no room for more.", "People are waiting."], model_silent_since: null, for_user: true, new_replies: 0 } }), "Waiting", "Today's limit of 2 invitations leaves no room for more. People are waiting. May change in 1 min."],
    ["hears nothing from its model", {}, running({ nothing_eligible: { until: 61_000, held_reasons: ["The model's reply was empty."], model_silent_since: 1_000, for_user: false, new_replies: 0 } }), "The model is not responding", "next try in 1 min"],
    ["waits for a time", {}, running({ nothing_eligible: { until: 61_000, held_reasons: [], model_silent_since: null, for_user: false, new_replies: 0 } }), "Waiting", "in 1 min"],
    ["waits for texts", { needs: { approve: 2 } }, running({ nothing_eligible: { until: null, held_reasons: [], model_silent_since: null, for_user: false, new_replies: 0 } }), "Waiting for you", "2 drafts wait for your approval."],
    ["waits for an answer", { needs: { answer: 1 } }, running({ nothing_eligible: { until: null, held_reasons: [], model_silent_since: null, for_user: false, new_replies: 0 } }), "Waiting for you", "1 question waits"],
    ["waits for the user's return", { present: false }, running({ nothing_eligible: { until: null, held_reasons: ["away"], model_silent_since: null, for_user: false, new_replies: 0 } }), "You are away", "use this window"],
  ] as const)("%s", (_, seen, run, title, detail) => {
    const shown = statusOf(seen as Partial<Seen>, run as RunState);
    expect(shown.title).toBe(title);
    expect(shown.detail).toContain(detail);
  });
});

describe("while it does not run", () => {
  it.each([
    ["was never started", { status: "initializing" }, idle, "Not started", "Start checks the site first."],
    ["was cut off", { status: "active" }, idle, "Interrupted", "nothing is done twice"],
    ["was closed while on", { status: "active", status_reason: "Outrider was closed" }, idle, "Waiting for you", "Outrider was closed."],
    ["was stopped", { status: "paused", status_reason: "stopped by you" }, { ...idle, halt: "stopped" }, "Paused", "Stopped by you."],
    ["was archived after that", { status: "paused", status_reason: "stopped by you", archived: true, state: { name: "Archived", detail: "", remedy: "Bring it back to go on.", until: null } }, idle, "Archived", "Bring it back to go on."],
    ["was handed over", { status: "active" }, { ...idle, halt: "handed_over", because: ["Handed over to “Laptop”."] }, "Handed over", "Handed over to “Laptop”."],
    ["took its step", { status: "active", status_reason: "one step was made" }, { ...idle, halt: "stepped" }, "One step was made", ""],
    ["had nothing to step", { status: "active", status_reason: "there was nothing to do" }, { ...idle, halt: "not_yet", until: 61_000 }, "Waiting", "due in 1 min"],
    ["is complete", { status: "completed" }, idle, "Done", "Nothing more goes to anyone in this campaign."],
    ["is in error", { status: "error", status_reason: "a row is gone" }, idle, "Stopped", "a row is gone"],
    ["broke off", { status: "paused" }, { ...idle, error: { code: "x", sentence: "No browser.", remedy: "Install one." } }, "The campaign stopped with an error", "No browser. Install one."],
    ["was refused because another device acts", { status: "active" }, { ...idle, error: { code: "lease_held_elsewhere", sentence: "“Laptop” is acting now.", remedy: "Take over." } }, "Another device has this account open", "Take over."],
  ] as const)("%s", (_, seen, run, title, detail) => {
    const shown = statusOf(seen as Partial<Seen>, run as unknown as RunState);
    expect(shown.title).toBe(title);
    expect(shown.detail).toContain(detail);
  });
});

it.each(BY_HAND)("promises no look at %s, where the user looks", (site) => {
  expect(statusOf({ status: "initializing", site }, idle).detail).toBe("Nothing is sent until you approve its words.");
});

it("does not say that it was cut off when another device may be running it", () => {
  expect(runStatus({ ...view, status: "active" }, idle, 1_000, true).title).toBe("Not running here");
});

it("tells an incident before everything else", () => {
  expect(statusOf({ incidents: [{}] as unknown as Seen["incidents"] }, running()).title).toBe("Stopped");
});

it("marks what Today shows anyway, and nothing that says more", () => {
  const waits = { until: null, held_reasons: [], model_silent_since: null, for_user: false, new_replies: 0 };
  expect(statusOf({ needs: { approve: 1 } }, running({ nothing_eligible: waits })).repeats).toBe(true);
  expect(statusOf({ needs: { approve: 1 } }, running({ nothing_eligible: { ...waits, held_reasons: ["It is outside working hours."] } })).repeats).toBeUndefined();
  expect(statusOf({ needs: { approve: 1 }, status: "paused" }, idle).repeats).toBeUndefined();
  expect(statusOf({ present: false }, running({ nothing_eligible: waits, away_since: 1 })).repeats).toBe(true);
  expect(statusOf({ present: false }, running({ nothing_eligible: waits, away_since: null })).repeats).toBeUndefined();
});

it("leads to the send session when only people there wait, and Today does not say so twice", () => {
  const nothing_eligible = { until: 61_000, held_reasons: ["People are waiting for you in Send."], model_silent_since: null, for_user: true, new_replies: 0 };
  const shown = statusOf({ needs: { approve: 1 } }, running({ nothing_eligible }));
  expect(shown).toMatchObject({ go: { label: "Open Send", link: "#/campaigns/a/send" }, repeats: true });
  expect(shown.detail).toBe("People are waiting for you in Send. 1 draft waits for your approval.");
});

it("leads to Review when texts wait, and only then", () => {
  const nothing_eligible = running({ nothing_eligible: { until: null, held_reasons: [], model_silent_since: null, for_user: false, new_replies: 0 } });
  expect(statusOf({ needs: { approve: 1 } }, nothing_eligible).go?.link).toBe("#/campaigns/a/review");
  expect(statusOf({ needs: { answer: 1 } }, nothing_eligible).go).toBeUndefined();
});

it("tells a fault as people say it, with the button that mends it", () => {
  const broke = (code: string) => statusOf({ status: "paused" }, { ...idle, error: { code, sentence: "S.", remedy: "R." } });
  expect(broke("browser_closed")).toMatchObject({ title: "The browser was closed", again: "Reopen the browser" });
  expect(broke("practice_gone")).toMatchObject({ again: "Start it again", detail: "It remembers everything it received." });
  expect(broke("browser_unusable").go?.link).toBe("#/settings/browser");
  expect(broke("browser_missing").go).toEqual({ label: "Browser settings", link: "#/settings/browser" });
  expect(broke("model_unknown").go?.link).toBe("#/campaigns/a/setup");
  expect(broke("anything_else")).not.toHaveProperty("again");
});

it("says what a rehearsal waits for and what comes next, with a way on", () => {
  const waiting = running({ nothing_eligible: { until: 61_000, held_reasons: [], model_silent_since: null, for_user: false, new_replies: 2 } });
  expect(statusOf({}, waiting)).toMatchObject({ title: "The practice clock waits for you", goOn: "Continue", go: { link: "#/campaigns/a/inbox" } });
  expect(statusOf({}, waiting).detail).toBe("There are 2 replies to read. Answer or label them, or continue: the next task is due in 1 min.");
});
