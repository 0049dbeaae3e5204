import type { TaskLine } from "../wire/generated";

const DOES = { think: "to be thought about", look: "looks", invite: "invites", message: "writes" };

/** What an open task does next or waits for; nothing for one that is over. */
export function waitsFor(task: Pick<TaskLine, "status" | "needs" | "ready_at">, now: number): string {
  if (task.status === "done" || task.status === "blocked") return "";
  if (task.needs === "approval") return "waits for your approval";
  if (task.needs === "input") return "waits for your answer";
  return task.ready_at !== null && task.ready_at > now ? `${DOES[task.needs]} again` : `${DOES[task.needs]} next`;
}
