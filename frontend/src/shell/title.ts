import type { RunState } from "../lib/api/generated";

/** What the window's title says: what runs, wherever the user looks; the page's own title when nothing does. */
export function titleOf(page: string, running: readonly RunState[]): string {
  const [run, ...others] = running;
  if (run === undefined) return page;
  const doing =
    run.away_since !== null
      ? "Paused"
      : run.phase === "stopping"
        ? "Stopping"
        : run.nothing_eligible !== null
          ? "Waiting"
          : "Running";
  const names = others.length === 0 ? run.name : `${run.name} and ${others.length} more`;
  return `${doing}: ${names} · Outrider`.replace(/\p{Cc}+/gu, " ").slice(0, 200);
}
