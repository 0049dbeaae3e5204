import type { RunLine, ScriptRunView } from "../../lib/api/generated";

export const KEY = /^[a-z0-9][a-z0-9_.-]{0,63}$/;

/** What a key may be called from what was typed or pasted as its name. */
export const keyOf = (typed: string): string =>
  typed
    .toLowerCase()
    .replace(/\.py$/, "")
    .replace(/[^a-z0-9_.-]+/g, "-")
    .replace(/^[^a-z0-9]+/, "")
    .slice(0, 64);

/** How a run stands, in a few words. */
export function runTitle(run: ScriptRunView): string {
  if (run.phase === "waiting") return "Waiting to run";
  if (run.phase === "first") return run.verifies === "" ? "Running" : "Running on the data as it was";
  if (run.phase === "second") return "Running again, to check that the answer is the same";
  if (run.error !== null) return "Not run";
  if (run.same !== null) return run.same ? "The same answer, byte for byte" : "A different answer";
  return run.status === "ok" ? "Done" : outcome(run.status ?? "", run.code);
}

const CANCELLED = "script_cancelled";
const WORDS: Record<string, string> = { ok: "Answered", denied: "Refused", killed: "Stopped", failed: "Failed" };

/** How a run ended. */
export const outcome = (status: string, code: string): string => (code === CANCELLED ? "Cancelled" : (WORDS[status] ?? status));

/** Whether a run went wrong: what the user cancelled did not. */
export const hasFailed = ({ status, code }: Pick<RunLine, "code"> & { status: string | null }): boolean => status !== "ok" && code !== CANCELLED;

/** What a run of the history answered, or why it did not. */
export function toldOf(run: RunLine): string {
  if (run.status === "ok") return run.reproducible === true ? "the same twice" : "two different answers";
  return run.code === CANCELLED ? "" : run.message;
}

/** A digest that is short enough to be compared by eye. */
export const short = (digest: string): string => digest.slice(0, 12);
