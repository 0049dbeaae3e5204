import type { Draft } from "../../lib/api/generated";
import { without } from "../../lib/navigation/selection";
import { summed } from "./finished";
import type { Done } from "./finished";

/** What the user has decided since Review was opened. */
export class ReviewSession {
  private decided = $state.raw<ReadonlyMap<string, { what: Done; expected: number | null }>>(new Map());
  private edited = $state.raw<ReadonlySet<string>>(new Set());
  /** What came of the session so far, in words. */
  readonly summary: string = $derived(summed([...[...this.decided.values()].map((decision) => decision.what), ...[...this.edited].map(() => "edited" as const)]));
  /** When each approved text was expected to go out (ms UTC). */
  readonly expected: ReadonlyMap<string, number | null> = $derived(new Map([...this.decided].map(([id, decision]) => [id, decision.expected])));

  did(what: Exclude<Done, "edited">, drafts: readonly Draft[]): void {
    this.decided = new Map([...this.decided, ...drafts.map((draft) => [draft.id, { what, expected: draft.goes_out_at }] as const)]);
  }

  /** It was taken back, or never came about. */
  undid(id: string): void {
    this.decided = new Map([...this.decided].filter(([other]) => other !== id));
  }

  wrote(id: string): void {
    this.edited = new Set([...without(this.edited, id), id]);
  }
}
