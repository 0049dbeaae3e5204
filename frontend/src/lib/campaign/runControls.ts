import type { CampaignStatus, RunState } from "../api/generated";

export interface Controls {
  action: "start" | "stop" | "recover" | null;
  label: string;
  hint: string;
  busy: boolean;
  /** Whether one step may be taken now. */
  step: boolean;
}

const NOTHING: Controls = { action: null, label: "", hint: "", busy: false, step: false };

/** Whether it goes on only once the user continues it: paused by the user, or on and held for a reason. */
export const standsStill = ({ status, status_reason }: { status: string; status_reason: string }): boolean =>
  status === "paused" || (status === "active" && status_reason !== "");

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
