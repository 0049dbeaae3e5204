import type { LeadChange, GroupDecided } from "../../lib/api/generated";
import { count } from "../../lib/format/numbers";

/** How many leads one request decides about. */
export const AT_ONCE = 200;

/** What became of all of them so far. */
export interface GroupOutcome {
  changed: LeadChange[];
  unchanged: number;
  withdrawn: number;
}

/** Decide about many leads some at a time; what is decided stays decided when it is stopped, or fails, in between. */
export async function decideInParts(
  ids: readonly string[],
  decide: (ids: string[]) => Promise<GroupDecided>,
  onProgress: (done: number, outcome: GroupOutcome) => void,
  stopped: () => boolean,
): Promise<void> {
  const outcome: GroupOutcome = { changed: [], unchanged: 0, withdrawn: 0 };
  for (let at = 0; at < ids.length && !stopped(); at += AT_ONCE) {
    const some = ids.slice(at, at + AT_ONCE);
    const done = await decide(some);
    outcome.changed.push(...done.changed);
    outcome.unchanged += done.unchanged;
    outcome.withdrawn += done.texts_withdrawn;
    onProgress(at + some.length, outcome);
  }
}

/** "Tagged 12 leads; 3 stay as they are." */
export function outcomeSentence(label: string, { changed, unchanged, withdrawn }: GroupOutcome): string {
  const people = (n: number) => `${count(n)} ${n === 1 ? "lead" : "leads"}`;
  const rest = unchanged === 0 ? "" : changed.length === 0 ? "" : `; ${count(unchanged)} ${unchanged === 1 ? "stays as it is" : "stay as they are"}`;
  const texts = withdrawn === 0 ? "" : ` ${count(withdrawn)} ${withdrawn === 1 ? "waiting message was" : "waiting messages were"} withdrawn.`;
  if (changed.length === 0) return `Nothing to do: ${people(unchanged)} ${unchanged === 1 ? "stays as it is" : "stay as they are"}.`;
  return `${label} ${people(changed.length)}${rest}.${texts}`;
}

/** What takes a priority back: who had which one before. */
export function byPriorityBefore(changed: readonly LeadChange[]): [number | null, string[]][] {
  const groups = new Map<number | null, string[]>();
  for (const change of changed) groups.set(change.before, [...(groups.get(change.before) ?? []), change.lead_id]);
  return [...groups];
}
