import { ACT_WORDS } from "../api/generated";
import type { FamilyGates, GateLine, Held, TaskRow, TaskStatus } from "../api/generated";
import { capitalised } from "../format/capitalised";
import { describeUntil } from "../format/until";

/** What nothing more is done for by itself. */
const OVER: ReadonlySet<TaskStatus> = new Set(["done", "blocked", "cancelled"]);

/** What an open task does next or waits for; nothing for one that is over. */
export function waitsFor(task: Pick<TaskRow, "status" | "needs" | "ready_at" | "source">, now: number): string {
  if (OVER.has(task.status)) return "";
  if (task.source === "supervisor") return "Waits for its agent";
  if (task.needs === "approval" || task.needs === "input") return capitalised(ACT_WORDS[task.needs].doing);
  return `${task.ready_at !== null && task.ready_at > now ? "Later" : "Next"}: ${ACT_WORDS[task.needs].does}`;
}

/** Gates that hold the whole campaign: shown once for all of it, not with each task. */
const OF_THE_CAMPAIGN = new Set(["campaign_active", "no_incident", "user_present"]);

/** The gate that holds each family of acts back, from the whole checklists. */
export function heldOf(families: readonly FamilyGates[]): Held[] {
  return families.flatMap(({ family, gates }) => {
    const gate = gates.find((gate) => !gate.passes && !OF_THE_CAMPAIGN.has(gate.code));
    return gate ? [{ family, gate }] : [];
  });
}

export interface When {
  text: string;
  gate: GateLine | null;
}

/** When a task goes on: now, at its time, or when the gate of its family opens, whichever is last. */
export function whenOf(task: Pick<TaskRow, "status" | "needs" | "ready_at">, heldFamilies: readonly Held[], now: number): When {
  if (OVER.has(task.status) || task.ready_at === null) return { text: "", gate: null };
  const gate = heldFamilies.find((heldFamily) => heldFamily.family === task.needs)?.gate ?? null;
  if (gate !== null && (gate.until === null || gate.until >= task.ready_at))
    return { text: `held ${describeUntil(gate.until, now)}`, gate };
  return { text: task.ready_at > now ? describeUntil(task.ready_at, now) : "now", gate: null };
}

/** "7 of 15 done": everything that is to be done and was not dropped, leads whose task is not made yet included. */
export function doneOf(
  counts: Partial<Record<TaskStatus, number>>,
  unplanned: number,
): { done: number; total: number } {
  const all = Object.values(counts).reduce((sum, n) => sum + n, unplanned);
  return { done: counts.done ?? 0, total: all - (counts.cancelled ?? 0) };
}
