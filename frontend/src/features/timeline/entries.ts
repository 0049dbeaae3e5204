import type { TimelineRow } from "../../lib/api/generated";

/** Who made an entry of a log, and what it is about. */

const ACTORS: Record<string, string> = {
  user: "You",
  controller: "Controller",
  agent: "Agent",
  verifier: "Verifier",
  recovery: "Recovery",
  auto_approve: "Auto-approval",
};

export const actorName = (actor: string): string => ACTORS[actor] ?? actor;
export const ACTOR_NAMES: readonly [string, string][] = Object.entries(ACTORS);

/** The name of a lead or task, from the entries that are about it. */
export function nameOf(id: string, rows: readonly TimelineRow[]): string {
  const row = rows.find(({ subject }) => id !== "" && (subject.lead_id === id || subject.task_id === id));
  return row === undefined ? "" : row.subject.lead_id === id ? row.subject.lead : row.subject.task;
}
