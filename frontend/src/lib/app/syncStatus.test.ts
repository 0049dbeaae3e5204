import { expect, it } from "vitest";
import type { SyncState } from "../api/generated";
import { LOCAL, actingText, downloadText, offlineText, statusLine, needsBanner } from "./syncStatus";

const at = (hour: number, minute: number, second = 0) => new Date(2026, 10, 23, hour, minute, second).getTime();
const now = at(11, 0);
const state = (changes: Partial<SyncState>): SyncState => ({ ...LOCAL, ...changes });

it.each([
  [{}, "On this machine only", null],
  [{ phase: "in_sync" }, "In sync", "In sync with the shared store"],
  [{ phase: "pushing", waiting: 1_240 }, "Pushing 1,240", null],
  [{ phase: "pulling" }, "Pulling", null],
  [{ phase: "pulling", pulled: 1_999, to_pull: 4_000 }, "Pulling 49\u00a0%", null],
  [{ phase: "offline", since: at(10, 2), waiting: 3 }, "Offline since 10:02\u00a0· 3\u00a0waiting", "Offline since 10:02"],
  [{ phase: "offline", since: at(10, 2) - 2 * 86_400_000 }, "Offline since 21 Nov, 10:02", "Offline since 21 Nov, 10:02"],
  [{ phase: "locked", waiting: 1 }, "Keys locked\u00a0· 1\u00a0waiting", "Not in sync: the keys are locked"],
  [{ phase: "signed_out", waiting: 1 }, "Signed out\u00a0· 1\u00a0waiting", "Signed out of the shared store"],
  [{ phase: "refused" }, "Refused", "The shared store refuses what is pushed"],
] as [Partial<SyncState>, string, string | null][])("%j is always shown as %s, and read aloud as %s", (changes, words, announced) => {
  expect(statusLine(state(changes), now)).toMatchObject({ words, announcement: announced });
});

it("reads aloud nothing that changes with each entry", () => {
  const announced = (waiting: number) => statusLine(state({ phase: "offline", since: at(10, 2), waiting }), now).announcement;
  expect(announced(1)).toBe(announced(2));
});

it("says how much a download still brings and how long it takes", () => {
  expect(downloadText(state({}))).toBeNull();
  expect(downloadText(state({ to_pull: 1_000_000 }))).toBe("1,000,000 entries to go");
  const going = state({ pulled: 400_000, to_pull: 1_000_000, pull_seconds_left: 185 });
  expect(downloadText(going)).toBe("600,000 entries to go, about 3 min 5 s");
});

it("says what it means to be offline", () => {
  expect(offlineText(state({ phase: "offline", since: at(10, 2), waiting: 3 }), now)).toEqual({
    what: "Offline since 10:02.",
    then: "Everything can be read; 3 changes wait here; nothing is sent until the shared store answers.",
  });
  expect(offlineText(state({ phase: "offline", waiting: 1 }), now)).toMatchObject({ what: "Offline.", then: expect.stringContaining("1 change waits here") });
  expect(offlineText(state({ phase: "offline" }), now).then).toContain("nothing waits here");
});

it("says who acts, and when this device may at the latest", () => {
  const elsewhere = { acting: "elsewhere", acting_name: "Laptop" } as const;
  expect(actingText(state({ acting: "here", acting_name: "Desk" }))).toBeNull();
  expect(actingText(state(elsewhere))).toBe("“Laptop” has this account open.");
  expect(actingText(state({ ...elsewhere, asked: true, until: at(12, 3, 20) }))).toBe("Asked “Laptop” to hand over; this device takes over at 12:03:20 at the latest.");
  expect(actingText(state({ ...elsewhere, asked: true }))).toBe("Asked “Laptop” to hand over.");
  expect(actingText(state({ acting: "elsewhere" }))).toBe("Another device has this account open.");
});

it("needs a banner only when something is amiss", () => {
  expect([{}, { phase: "in_sync", acting: "here" }, { phase: "pushing", waiting: 9 }].map((changes) => needsBanner(state(changes as Partial<SyncState>)))).toEqual([false, false, false]);
  expect([{ phase: "offline" }, { phase: "signed_out" }, { conflicts: 1 }, { acting: "elsewhere" }].map((changes) => needsBanner(state(changes as Partial<SyncState>)))).toEqual([true, true, true, true]);
});
