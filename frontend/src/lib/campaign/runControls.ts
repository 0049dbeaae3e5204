import type { CampaignState, CampaignStatus, RunState } from "../api/generated";

export interface Controls {
  action: "start" | "stop" | "recover" | null;
  label: string;
  hint: string;
  busy: boolean;
  /** Whether one step may be taken now. */
  step: boolean;
}

const NOTHING: Controls = { action: null, label: "", hint: "", busy: false, step: false };

type Recorded = { status: string; status_reason: string };

/** Whether it is on and nothing runs it, as after a kill; unknown, so no, where another device may (`shared`). */
export const wasInterrupted = ({ status, status_reason }: Recorded, run: RunState, shared: boolean): boolean =>
  status === "active" && status_reason === "" && run.phase === "idle" && run.halt !== "handed_over" && run.error === null && !shared;

/** Whether it goes on only once the user continues it: paused by the user, held for a reason, or interrupted. */
export const standsStill = (campaign: Recorded, run: RunState, shared: boolean): boolean =>
  campaign.status === "paused" || (campaign.status === "active" && campaign.status_reason !== "") || wasInterrupted(campaign, run, shared);

/** How it stands; after a kill as after a regular end, which the record of a campaign cannot say. */
export const stateShown = ({ state, ...campaign }: Recorded & { state: CampaignState }, run: RunState, shared: boolean): CampaignState =>
  wasInterrupted(campaign, run, shared) && state.name !== "Archived" && state.name !== "Stopped"
    ? { ...state, name: "Waiting for you", detail: ["Outrider was closed.", state.until === null ? state.detail : ""].join(" ").trim(), until: null }
    : state;

/** The controls of a campaign, from its status and its run. */
export function controls(status: CampaignStatus, run: RunState, archived = false): Controls {
  if (run.phase !== "idle") {
    if (run.phase === "stopping")
      return { ...NOTHING, label: "Stopping…", hint: "The current action is finished first.", busy: true };
    if (run.once) return { ...NOTHING, label: "One step…", hint: "Then it waits for you.", busy: true };
    const starting = run.phase === "starting";
    return {
      ...NOTHING,
      action: "stop",
      label: "Stop",
      hint: starting ? "Starting…" : "Stops after the current action.",
    };
  }
  if (archived) return NOTHING;
  if (status === "error") return { ...NOTHING, action: "recover", label: "Recover" };
  if (status === "completed") return NOTHING;
  const label = status === "initializing" ? "Start" : "Continue";
  return {
    ...NOTHING,
    action: "start",
    label,
    hint: status === "initializing" ? "" : "Continues exactly where it stopped.",
    step: true,
  };
}
