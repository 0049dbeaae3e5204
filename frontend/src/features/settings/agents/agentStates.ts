import type { AgentRunRow } from "../../../lib/api/generated";

/** A state of an agent, and whether a run went through it, is in it, or ended there: badly, or because the user cancelled it. */
export interface StateMark {
  name: string;
  mark: "visited" | "current" | "failed" | "cancelled" | "ahead";
}

/** Whether the user ended it, which is no failure. */
export const isCancelled = ({ code }: Pick<AgentRunRow, "code">): boolean => code === "agent_cancelled";

const TERMINAL = ["Completed", "Failed"];

/** The states in the order in which a run took them, then those it could still come to; none is ahead of a run that ended. */
export function stateMarks(run: AgentRunRow, declared: readonly string[]): StateMark[] {
  const last = run.states.length - 1;
  const visited = run.states.map((name, index): StateMark => {
    if (index === last && name === "Failed") return isCancelled(run) ? { name: "Cancelled", mark: "cancelled" } : { name, mark: "failed" };
    return { name, mark: index === last && run.ended_at === null ? "current" : "visited" };
  });
  if (run.ended_at !== null || TERMINAL.includes(run.state)) return visited;
  const ahead = declared.filter((name) => !run.states.includes(name) && name !== "Failed");
  return [...visited, ...ahead.map((name): StateMark => ({ name, mark: "ahead" }))];
}

/** "RequestFileSearch" as words. */
export const stateWords = (name: string): string =>
  name.replace(/([a-z])([A-Z])/g, "$1 $2").replace(/ ([A-Z])/g, (letter) => letter.toLowerCase());

/** What a run was given, by the names that its fields have. */
export const inputWords = (inputs: string): string => inputs.replace(/^directory: /, "Folder: ").replace(/(^|, )days: (?=\d+$)/, "$1days back: ");

/** How a run ended, for a pill. */
export function runWord(run: AgentRunRow): string {
  if (run.ended_at === null) return "running";
  return run.state === "Completed" ? "completed" : isCancelled(run) ? "cancelled" : "failed";
}

/** What came of a tool call; of the one with which the run ended its code, which is said in words below. */
export const callWords = (run: AgentRunRow, outcome: string): string => (outcome !== "" && outcome === run.code ? runWord(run) : outcome);
