import { asMinutes, asTime, wrongIn } from "./limits";
import type { Bound, Limits } from "../api/generated";
import type { UtcOffsets } from "../format/localTime";

type TimeName = "day_starts" | "day_ends";

/** What was changed of them, as far as it is no more than typed. */
export interface KeptLimits {
  changes: Partial<Limits>;
  notTimes: Partial<Record<TimeName, string>>;
}

/** Limits under change, and what is wrong with them. */
export class LimitsDraft {
  /** What they were to begin with. */
  private start = $state.raw<Limits | null>(null);
  private changes = $state.raw<Partial<Limits>>({});
  private bounds = $state.raw<Record<string, Bound>>({});
  /** By them a day begins and ends. */
  offsets = $state.raw<UtcOffsets>([]);
  /** What was typed as a time and is none: it stays in its field. */
  private notTimes = $state.raw<Partial<Record<TimeName, string>>>({});

  // No $derived: a draft may outlive the screen that asked for it first, and a $derived would stand still with that screen.
  get value(): Limits | null {
    return this.start === null ? null : { ...this.start, ...this.changes };
  }
  get changed(): boolean {
    return Object.keys(this.notTimes).length > 0 || !same(this.value, this.start);
  }
  get wrong(): Record<string, string> {
    if (this.value === null) return {};
    const problems = wrongIn(this.value, this.bounds);
    for (const name of Object.keys(this.notTimes)) problems[name] = "Enter a time, such as 09:00.";
    return problems;
  }

  /** Begin with these; what the user changed stays. Of that, what is different from before in these, too. */
  base(start: Limits, view: { bounds: Record<string, Bound>; utc_offsets: UtcOffsets }): (keyof Limits)[] {
    const before = this.start ?? start;
    this.changes = Object.fromEntries(Object.entries(this.changes).filter(([name, value]) => this.start === null || !same(value, before[name as keyof Limits])));
    this.start = start;
    this.bounds = view.bounds;
    this.offsets = view.utc_offsets;
    const names = Object.keys({ ...this.changes, ...this.notTimes }) as (keyof Limits)[];
    return names.filter((name) => !same(before[name], start[name]) && !same(this.value?.[name], start[name]));
  }

  bound(name: string): Bound | undefined {
    return this.bounds[name];
  }

  is(limits: Limits): boolean {
    return same(this.value, limits);
  }

  set(changed: Partial<Limits>): void {
    this.changes = { ...this.changes, ...changed };
  }

  /** A time as it stands in its field. */
  time(name: TimeName): string {
    return this.notTimes[name] ?? asTime(this.value?.[name] ?? 0);
  }

  setTime(name: TimeName, text: string): void {
    const minutes = asMinutes(text);
    const { [name]: _, ...others } = this.notTimes;
    this.notTimes = minutes === null ? { ...others, [name]: text } : others;
    if (minutes !== null) this.set({ [name]: minutes });
  }

  /** What is to be kept of them. */
  get kept(): KeptLimits {
    return { changes: this.changes, notTimes: this.notTimes };
  }

  /** Go on with what was kept. */
  restore({ changes, notTimes }: KeptLimits): void {
    this.changes = changes;
    this.notTimes = notTimes;
  }

  /** Forget what was changed. */
  undo(): void {
    this.changes = {};
    this.notTimes = {};
  }
}

const same = (value: unknown, other: unknown): boolean => JSON.stringify(value) === JSON.stringify(other);
