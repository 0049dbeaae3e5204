import type { SyncState } from "../api/generated";
import { count, plural } from "../format/numbers";
import { formatDuration } from "../format/duration";
import { secondHere, timeHere } from "../format/dates";

/** The status of the synchronisation with the shared store, in words. Times are ms UTC on this machine's clock. */

export const LOCAL: SyncState = {
  phase: "local",
  waiting: 0,
  since: null,
  conflicts: 0,
  acting: "nobody",
  acting_name: "",
  asked: false,
  until: null,
  problem: null,
  pulled: 0,
  to_pull: 0,
  pull_seconds_left: null,
};

type Seen = Pick<SyncState, "phase" | "waiting" | "since" | "pulled" | "to_pull">;

export interface StatusLine {
  tone: "good" | "warn" | "bad" | "plain";
  words: string;
  /** What is read aloud; null for what comes and goes by itself and is not worth interrupting anybody. */
  announcement: string | null;
}

/** The line that is always shown. */
export function statusLine(sync: Seen, now: number): StatusLine {
  const waiting = sync.waiting > 0 ? `\u00a0· ${count(sync.waiting)}\u00a0waiting` : "";
  switch (sync.phase) {
    case "local":
      return { tone: "plain", words: "On this machine only", announcement: null };
    case "in_sync":
      return { tone: "good", words: "In sync", announcement: "In sync with the shared store" };
    case "pushing":
      return { tone: "plain", words: `Pushing ${count(sync.waiting)}`, announcement: null };
    case "pulling":
      return { tone: "plain", words: pulling(sync), announcement: null };
    case "offline": {
      const words = `Offline${since(sync, now)}`;
      return { tone: "warn", words: words + waiting, announcement: words };
    }
    case "locked":
      return { tone: "warn", words: `Keys locked${waiting}`, announcement: "Not in sync: the keys are locked" };
    case "signed_out":
      return { tone: "warn", words: `Signed out${waiting}`, announcement: "Signed out of the shared store" };
    case "refused":
      return { tone: "bad", words: `Refused${waiting}`, announcement: "The shared store refuses what is pushed" };
  }
}

const pulling = (sync: Pick<SyncState, "pulled" | "to_pull">): string =>
  sync.to_pull > 0 ? `Pulling ${Math.floor((100 * sync.pulled) / sync.to_pull)}\u00a0%` : "Pulling";

/** How much a download still brings, and how long it takes at the pace so far; null while that is not known. */
export function downloadText(sync: Pick<SyncState, "pulled" | "to_pull" | "pull_seconds_left">): string | null {
  if (sync.to_pull === 0) return null;
  const left = `${plural(sync.to_pull - sync.pulled, "entry", "entries")} to go`;
  return sync.pull_seconds_left === null ? left : `${left}, about ${formatDuration(sync.pull_seconds_left * 1_000)}`;
}

const since = (sync: Pick<SyncState, "since">, now: number): string =>
  sync.since === null ? "" : ` since ${timeHere(sync.since, now)}`;

/** Whether it needs a banner. */
export const needsBanner = (sync: SyncState): boolean =>
  sync.conflicts > 0 ||
  sync.acting === "elsewhere" ||
  sync.phase === "offline" ||
  sync.phase === "signed_out" ||
  (sync.phase === "refused" && sync.problem !== null);

/** What it means to be offline, in one line. */
export function offlineText(sync: Seen, now: number): { what: string; then: string } {
  const waits =
    sync.waiting === 0
      ? "nothing waits here"
      : `${plural(sync.waiting, "change")} ${sync.waiting === 1 ? "waits" : "wait"} here`;
  return {
    what: `Offline${since(sync, now)}.`,
    then: `Everything can be read; ${waits}; nothing is sent until the shared store answers.`,
  };
}

/** Who acts instead, and when this device may at the latest; null when none does. */
export function actingText(sync: Pick<SyncState, "acting" | "acting_name" | "asked" | "until">): string | null {
  if (sync.acting !== "elsewhere") return null;
  const name = sync.acting_name === "" ? "Another device" : `“${sync.acting_name}”`;
  if (!sync.asked) return `${name} has this account open.`;
  const asked = `Asked ${sync.acting_name === "" ? "the other device" : name} to hand over`;
  return sync.until === null
    ? `${asked}.`
    : `${asked}; this device takes over at ${secondHere(sync.until)} at the latest.`;
}
