import type { RunState } from "../lib/api/generated";

/** What the window's title says: what runs, wherever the user looks; the page's own title when nothing does. */
export function titleOf(page: string, run: RunState): string {
  if (run.phase === "idle") return page;
  const doing =
    run.away_since !== null
      ? "Paused"
      : run.phase === "stopping"
        ? "Stopping"
        : run.nothing_eligible !== null
          ? "Waiting"
          : "Running";
  return `${doing}: ${run.name} · Outrider`.replace(/\p{Cc}+/gu, " ").slice(0, 200);
}
