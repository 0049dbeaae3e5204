/**
 * A span of time as people read it, never more than two units: "850 ms", "2.4 s", "3 min 5 s", "2 h 10 min", "3 d 4 h".
 * Rounds down, so a countdown does not show a minute that has already begun to run out.
 */
export function formatDuration(milliseconds: number): string {
  if (!Number.isFinite(milliseconds) || milliseconds < 0) return "–";
  if (milliseconds < 1_000) return `${Math.floor(milliseconds)} ms`;
  if (milliseconds < 10_000) return `${(Math.floor(milliseconds / 100) / 10).toFixed(1)} s`;

  const seconds = Math.floor(milliseconds / 1_000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return twoUnits(minutes, "min", seconds % 60, "s");
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return twoUnits(hours, "h", minutes % 60, "min");
  return twoUnits(Math.floor(hours / 24), "d", hours % 24, "h");
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** How long is still to wait, as exactly as anybody plans: "40 s", "58 min", "6 h 13 min", "3 days". */
export function roundedUp(milliseconds: number): string {
  if (milliseconds <= MINUTE) return formatDuration(Math.ceil(milliseconds / 1_000) * 1_000).replace(".0 s", " s");
  if (milliseconds < 2 * DAY) return formatDuration(Math.ceil(milliseconds / MINUTE) * MINUTE).replace(/^1 d(?: (\d+) h)?$/, (_, hours) => `${24 + Number(hours ?? 0)} h`);
  return `${Math.ceil(milliseconds / DAY)} days`;
}

function twoUnits(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`;
}
