import { sequenceChange, sequenceCheck, sequencePreview, sequenceUndo, sequenceView } from "../../lib/api/calls";
import { errorShapeOf } from "../../lib/api/errors";
import type { Condition, DifferenceView, ErrorShape, SequenceView, TemplateCheck, RequestedSequence, RequestedStep } from "../../lib/api/generated";
import { plural } from "../../lib/format/numbers";
import { Query } from "../../lib/query/query.svelte";
import { Refresher } from "../../lib/query/refresher";
import { toasts } from "../../lib/app/toasts.svelte";
import { unsaved } from "../../lib/app/unsavedWork";
import { isWhole } from "../../lib/campaign/conditions";

const GAP = 1_000;
const TYPING = 300;
const SHOWN: ReadonlySet<string> = new Set(["lead", "message", "task", "campaign"]);

/** Whether a text goes out with a step of that kind. */
export const writes = (kind: RequestedStep["kind"]): boolean => kind === "invitation" || kind === "message";

/** What a step says: its own text, then those of its variants. */
export const textsOf = (step: RequestedStep): string[] => [step.template, ...step.variants.map((variant) => variant.template)];

/** A step on the screen; its id stays while it is changed. */
export interface Row {
  id: number;
  step: RequestedStep;
}

/** The changes with which each campaign's editor was left, and the version that they are of. */
const left = new Map<string, { version: number; requested: RequestedSequence }>();
unsaved.watch(() => left.size > 0);

/** A campaign's sequence, and what the user makes of it before it is applied. */
export class SequenceEditor extends Query<SequenceView> {
  rows = $state.raw<readonly Row[]>([]);
  acceptWithin = $state(21);
  finalWait = $state(5);
  /** What the change would mean; null while that is not known. */
  difference = $state.raw<DifferenceView | null>(null);
  /** Why it could not be applied as it is. */
  refused = $state.raw<ErrorShape | null>(null);
  /** What each step's texts become over all people, by its row: its own first, then those of its variants. */
  checks = $state.raw<ReadonlyMap<number, readonly TemplateCheck[]>>(new Map());
  /** Whether what is said of the change is about the change as it is now. */
  settled = $state(true);
  private nextId = 1;
  private edits = 0;
  /** Whether the next answer is shown whatever was typed: it is what came of a decision. */
  private decided = false;
  private readonly looker = new Refresher(() => this.look(), TYPING);

  readonly requested: RequestedSequence = $derived({
    steps: this.rows.map((row) => row.step),
    accept_within_days: this.acceptWithin,
    final_wait_days: this.finalWait,
  });
  readonly changed = $derived(this.view !== null && JSON.stringify(this.requested) !== JSON.stringify(this.view.requested));

  constructor(readonly campaign: string) {
    super(() => sequenceView(campaign), GAP);
  }

  /** Follow the feed until the returned function is called; what is not applied by then is there again when the user comes back. */
  open(): () => void {
    const leave = this.follow(this.campaign, (event) => SHOWN.has(event.entity));
    return () => {
      leave();
      if (this.view !== null && this.changed) left.set(this.campaign, { version: this.view.version, requested: this.requested });
    };
  }

  edit(row: Row, changed: Partial<RequestedStep>): void {
    this.put(this.rows.map((candidate) => (candidate.id === row.id ? { ...candidate, step: { ...candidate.step, ...changed } } : candidate)));
  }

  /** A new step behind that row, on those conditions; the row that it got. */
  add(kind: RequestedStep["kind"], behind: Row | null, only_if: Condition[] = []): Row {
    const template = writes(kind) ? "Hi {first_name}, " : "";
    const after_days = kind === "message" || kind === "wait" ? 3 : 0;
    const row = { id: this.nextId++, step: { key: "", kind, after_days, template, variants: [], only_if } };
    const at = behind === null ? this.rows.length : this.rows.findIndex((candidate) => candidate.id === behind.id) + 1;
    this.put([...this.rows.slice(0, at), row, ...this.rows.slice(at)]);
    return row;
  }

  /** Let the row and the one before it (-1) or behind it (1) change places; nothing at the ends. */
  move(row: Row, by: -1 | 1): void {
    const at = this.rows.indexOf(row);
    const other = this.rows[at + by];
    if (other === undefined) return;
    const rows = [...this.rows];
    rows[at] = other;
    rows[at + by] = row;
    this.put(rows);
  }

  remove(row: Row): void {
    this.put(this.rows.filter((other) => other.id !== row.id));
  }

  /** How long an acceptance, or the last answer, is waited for. */
  wait(days: { accept?: number; final?: number }): void {
    this.acceptWithin = days.accept ?? this.acceptWithin;
    this.finalWait = days.final ?? this.finalWait;
    this.asked();
  }

  discard(): void {
    if (this.view) this.take(this.view);
  }

  /** Put it in force; whether it worked. */
  async apply(): Promise<boolean> {
    const shown = this.view;
    if (shown === null || !this.changed || !this.settled || this.refused !== null) return false;
    return this.decide(() => sequenceChange(this.campaign, { version: shown.version, requested: this.requested }), "Sequence changed");
  }

  /** Put in force what was before the last change. */
  async undo(): Promise<boolean> {
    const shown = this.view;
    if (shown?.previous == null) return false;
    return this.decide(() => sequenceUndo(this.campaign, { version: shown.version }), "Sequence change undone");
  }

  private async decide(command: () => ReturnType<typeof sequenceChange>, notice: string): Promise<boolean> {
    const done = await this.during(() =>
      toasts.attempt(async () => {
        const applied = await command();
        this.decided = true;
        const again = applied.texts_again > 0 ? ` ${plural(applied.texts_again, "message")} rewritten.` : "";
        toasts.info(`${notice}.${again}`, { label: "Undo", run: () => void this.undo() });
      }),
    );
    await this.load();
    return done;
  }

  /** What came from elsewhere does not overwrite what is being changed. */
  protected override received(view: SequenceView): SequenceView {
    const earlier = left.get(this.campaign);
    if (this.rows.length === 0 && earlier?.version === view.version) this.take(earlier);
    else if (this.decided || this.rows.length === 0 || (!this.changed && this.view?.version !== view.version)) this.take(view);
    left.delete(this.campaign);
    this.decided = false;
    return view;
  }

  private take({ requested }: Pick<SequenceView, "requested">): void {
    this.rows = requested.steps.map((step) => ({ id: this.nextId++, step }));
    this.acceptWithin = requested.accept_within_days;
    this.finalWait = requested.final_wait_days;
    this.difference = null;
    this.refused = null;
    this.asked();
  }

  private put(rows: readonly Row[]): void {
    this.rows = rows;
    this.asked();
  }

  private asked(): void {
    this.edits += 1;
    this.settled = false;
    this.looker.ask();
  }

  private async look(): Promise<void> {
    const { rows, requested, edits } = this;
    if (!rows.every((row) => row.step.only_if.every(isWhole))) {
      this.refused = { code: "sequence_invalid", sentence: "A condition is not finished.", remedy: "Choose what it compares with, or remove it." };
      this.difference = null;
      this.settled = edits === this.edits;
      return;
    }
    const writing = rows
      .filter((row) => writes(row.step.kind))
      .flatMap((row) => textsOf(row.step).map((template) => ({ row, step: { ...row.step, template, variants: [] } })));
    try {
      const { templates } = await sequenceCheck(this.campaign, { templates: writing.map((row) => row.step) });
      this.checks = new Map(rows.map((row) => [row.id, templates.filter((_, index) => writing[index]!.row === row)]));
      const shown = this.view; // which is there by now also where changes were left
      this.difference =
        shown !== null && this.changed ? await sequencePreview(this.campaign, { version: shown.version, requested }) : null;
      this.refused = null;
    } catch (thrown) {
      this.refused = errorShapeOf(thrown);
      this.difference = null;
    }
    this.settled = edits === this.edits;
  }
}
