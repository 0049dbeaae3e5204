import { describe, expect, it } from "vitest";
import type { RunState } from "../wire/generated";
import { standing } from "./standing";

type Seen = Parameters<typeof standing>[0];
const idle: RunState = { phase: "idle", campaign_id: "a", name: "", once: false, asleep: null, until: null, away_since: null, halt: null, because: [], error: null };
const view = { id: "a", status: "active", status_reason: "", present: true, position: { task: "Reach out to Ada", turn: 9 }, drafts_total: 0, questions: [], incidents: [] } as unknown as Seen;
const running = (more: Partial<RunState> = {}): RunState => ({ ...idle, phase: "running", ...more });
const said = (seen: Partial<Seen>, run: RunState) => standing({ ...view, ...seen }, run, 1_000);
const question = { id: "q" } as Seen["questions"][number];

describe("while it runs", () => {
  it.each([
    ["works", {}, running(), "Working", "Reach out to Ada"],
    ["takes one step", {}, running({ once: true }), "One step…", "Reach out to Ada"],
    ["starts", {}, { ...running(), phase: "starting" as const }, "Starting…", "The browser"],
    ["stops", {}, { ...running(), phase: "stopping" as const }, "Stopping…", "The current action is finished first."],
    ["is held", {}, running({ asleep: { until: 61_000, held: ["It is outside working hours."] } }), "Held back", "It is outside working hours. That may change in 1 min."],
    ["waits for a time", {}, running({ asleep: { until: 61_000, held: [] } }), "Nothing to do yet", "in 1 min"],
    ["waits for texts", { drafts_total: 2 }, running({ asleep: { until: null, held: [] } }), "Waits for you", "2 texts wait for your approval."],
    ["waits for an answer", { questions: [question] }, running({ asleep: { until: null, held: [] } }), "Waits for you", "1 question waits"],
    ["waits for the user's return", { present: false }, running({ asleep: { until: null, held: ["away"] } }), "You are away", "uses this window"],
  ] as const)("%s", (_, seen, run, title, detail) => {
    const shown = said(seen as Partial<Seen>, run as RunState);
    expect(shown.title).toBe(title);
    expect(shown.detail).toContain(detail);
  });
});

describe("while it does not run", () => {
  it.each([
    ["was never started", { status: "initializing" }, idle, "Not started yet", ""],
    ["was cut off", { status: "active" }, idle, "It was cut off", "nothing is done twice"],
    ["was stopped", { status: "paused", status_reason: "stopped by the user" }, { ...idle, halt: "stopped" }, "Paused", "Stopped by the user."],
    ["was handed over", { status: "active" }, { ...idle, halt: "handed_over", because: ["Handed over to “Laptop”."] }, "Handed over", "Handed over to “Laptop”."],
    ["took its step", { status: "paused" }, { ...idle, halt: "stepped" }, "Paused after one step", ""],
    ["had nothing to step", { status: "paused" }, { ...idle, halt: "not_yet", until: 61_000 }, "Nothing to do now", "due in 1 min"],
    ["is complete", { status: "completed" }, idle, "Complete", "9 turns"],
    ["is in error", { status: "error", status_reason: "a row is gone" }, idle, "Stopped by an error", "a row is gone"],
    ["broke off", { status: "paused" }, { ...idle, error: { code: "x", sentence: "No browser.", remedy: "Install one." } }, "The run broke off", "No browser. Install one."],
    ["was refused because another device acts", { status: "active" }, { ...idle, error: { code: "acting_elsewhere", sentence: "“Laptop” is acting now.", remedy: "Take over." } }, "Another device acts", "Take over."],
  ] as const)("%s", (_, seen, run, title, detail) => {
    const shown = said(seen as Partial<Seen>, run as unknown as RunState);
    expect(shown.title).toBe(title);
    expect(shown.detail).toContain(detail);
  });

  it("says nothing of another campaign's run", () => {
    expect(said({ status: "paused" }, { ...idle, campaign_id: "b", halt: "stepped" }).title).toBe("Paused");
  });
});

it("does not say that it was cut off when another device may be running it", () => {
  expect(standing({ ...view, status: "active" }, idle, 1_000, true).title).toBe("It does not run here");
});

it("tells an incident before everything else", () => {
  expect(said({ incidents: [{}] as unknown as Seen["incidents"] }, running()).title).toBe("Stopped by an incident");
});

it("leads to Review when texts wait, and only then", () => {
  const asleep = running({ asleep: { until: null, held: [] } });
  expect(said({ drafts_total: 1 }, asleep).go?.screen).toBe("review");
  expect(said({ questions: [question] }, asleep).go).toBeUndefined();
});
