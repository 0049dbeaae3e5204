import type { ProjectionStatus, WakeRequest } from "../../lib/api/generated";
import { count, plural } from "../../lib/format/numbers";
import { datedHere } from "../../lib/format/dates";

/** How far the table of turns is, in words. */
export function projectionWords(projection: ProjectionStatus): string {
  const events = `${plural(projection.log_events, "event")} in the log`;
  if (projection.lag === 0) return `up to date at turn ${count(projection.position)}, ${events}`;
  return `${plural(Math.abs(projection.lag), "turn")} behind the log, ${events}`;
}

/** When all tables were last made again from the log. */
export function rebuiltWords(projection: ProjectionStatus): string {
  if (projection.rebuilt_at === null) return "never on this device";
  return `${datedHere(projection.rebuilt_at)}, from ${plural(projection.rebuilt_from ?? 0, "event")}`;
}

/** A wake request: by whom, for when, and what came of it. */
export function wakeWords(wake: WakeRequest): string {
  const by = wake.reason === "timer" ? "Timer" : "By hand";
  const end = wake.status === "armed" ? (wake.reason === "timer" ? "armed" : "waits for you") : wake.status;
  return `${by}, ${datedHere(wake.due_at)}: ${end}${wake.said ? `. ${wake.said}` : ""}`;
}

/** The ms UTC of what a `datetime-local` field holds, by this machine's clock; null if it holds nothing. */
export function localTime(field: string): number | null {
  const at = field === "" ? NaN : new Date(field).getTime();
  return Number.isNaN(at) ? null : at;
}
