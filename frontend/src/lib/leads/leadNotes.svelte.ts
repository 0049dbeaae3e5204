import { leadsNote } from "../api/calls";
import { RequestFailed } from "../api/errors";
import type { ErrorShape } from "../api/generated";

const QUIET = 700;
const AGAIN_AFTER = 2_000;

/** Notes as they are typed: saved when the typing pauses, kept and tried again while Outrider is not responding. */
class LeadNotes {
  /** What is typed and not saved yet, by lead; it outlives the panel it was typed in. */
  private unsaved = $state.raw<ReadonlyMap<string, string>>(new Map());
  private errors = $state.raw<ReadonlyMap<string, ErrorShape>>(new Map());
  private readonly timers = new Map<string, ReturnType<typeof setTimeout>>();

  /** The text to be shown: what was typed, else what is saved. */
  text(lead: string, saved: string): string {
    return this.unsaved.get(lead) ?? saved;
  }

  state(lead: string): "saved" | "saving" | "kept" {
    return this.errors.has(lead) ? "kept" : this.unsaved.has(lead) ? "saving" : "saved";
  }

  error(lead: string): ErrorShape | null {
    return this.errors.get(lead) ?? null;
  }

  typed(campaign: string, lead: string, text: string): void {
    this.unsaved = new Map([...this.unsaved, [lead, text]]);
    this.later(campaign, lead, QUIET);
  }

  private later(campaign: string, lead: string, after: number): void {
    clearTimeout(this.timers.get(lead));
    this.timers.set(
      lead,
      setTimeout(() => void this.save(campaign, lead), after),
    );
  }

  private async save(campaign: string, lead: string): Promise<void> {
    const text = this.unsaved.get(lead);
    if (text === undefined) return;
    try {
      await leadsNote(campaign, lead, { text });
      this.errors = without(this.errors, lead);
      if (this.unsaved.get(lead) === text) this.unsaved = without(this.unsaved, lead);
    } catch (error) {
      if (!(error instanceof RequestFailed)) throw error;
      this.errors = new Map([...this.errors, [lead, error.shape]]);
      // What is too long is not tried again by itself; what did not answer, or rests on what failed (a full disk), may go later.
      if (error.status === 0 || error.status === 424 || error.status >= 500) this.later(campaign, lead, AGAIN_AFTER);
    }
  }
}

function without<Value>(map: ReadonlyMap<string, Value>, key: string): ReadonlyMap<string, Value> {
  return new Map([...map].filter(([other]) => other !== key));
}

export const leadNotes = new LeadNotes();
