export type Tone = "good" | "warn" | "bad" | "accent" | "plain";

const TONES: Record<string, Tone> = {
  On: "good",
  "Waiting for you": "accent",
  Paused: "warn",
  Stopped: "bad",
  running: "accent",
  in_progress: "accent",
  contacted: "accent",
  verifying: "accent",
  paused: "warn",
  no: "bad",
  gone: "warn",
  automatic: "warn",
  held: "warn",
  skipped: "warn",
  stopping: "warn",
  completed: "good",
  done: "good",
  accepted: "good",
  sent: "good",
  replied: "good",
  interested: "good",
  later: "warn",
  declined: "warn",
  do_not_contact: "bad",
  approved: "accent",
  in_use: "good",
  set_up: "good",
  Done: "good",
  Working: "accent",
  Verifying: "accent",
  to_be_reviewed: "warn",
  outcome_unknown: "warn",
  unknown: "warn",
  found: "warn",
  failed: "bad",
  error: "bad",
  blocked: "bad",
  faulted: "bad",
};

/** The colour of a status or verdict; a rejection code, which nobody lists here, is plain. */
export function toneOf(word: string): Tone {
  return TONES[word] ?? "plain";
}
