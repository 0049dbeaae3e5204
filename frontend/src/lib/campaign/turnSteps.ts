import type { TurnState } from "../api/generated";
import { formatDuration } from "../format/duration";

/** The eight steps of a turn, in order. */
export const STEPS = [
  "Load state",
  "Select task",
  "Invoke agent",
  "Validate",
  "Execute",
  "Persist logs",
  "Update state",
  "Repeat",
] as const;

const STATES: readonly TurnState[] = [
  "LoadingContext",
  "LoadingContext",
  "Inferring",
  "Inferring",
  "ExecutingActions",
  "Persisting",
  "Persisting",
  "Idle",
];

export interface StepView {
  name: string;
  mark: "done" | "active" | "waiting";
  /** How long it took in the last whole turn, in milliseconds. */
  took: number | null;
}

export interface TurnView {
  inFlight: boolean;
  state: TurnState;
  steps: StepView[];
}

/**
 * What the stepper shows. `closed` is how many steps of the turn in flight are behind it (8: it ended, 0: none began),
 * `recorded` the state on disk, which holds whenever no turn is in flight.
 */
export function turnView(closed: number, moving: boolean, recorded: TurnState, lastSteps: readonly number[]): TurnView {
  const active = moving && closed > 0 && closed < STEPS.length ? closed : -1;
  const done = moving ? closed : 0;
  return {
    inFlight: active >= 0,
    // Between two turns the state on disk may still be that of the one before, as it was last loaded.
    state: active >= 0 ? (STATES[active] ?? recorded) : moving && closed === STEPS.length ? "Idle" : recorded,
    steps: STEPS.map((name, index) => ({
      name,
      mark: index < done ? "done" : index === active ? "active" : "waiting",
      took: lastSteps[index] === undefined ? null : lastSteps[index] / 1_000,
    })),
  };
}

/** A step's duration in milliseconds, for people; most steps take far less than one. */
export function formatStep(took: number | null): string {
  if (took === null) return "–";
  return took < 1 ? "< 1 ms" : formatDuration(took);
}
