import { Ahead } from "../../state/ahead";
import { foldTurn } from "../../state/fold";
import { keepFresh } from "../../state/fresh";
import { Refresher } from "../../state/refresher";
import { runs } from "../../wire/calls/runs";
import { RequestFailed } from "../../wire/client";
import type { ErrorShape, FeedEvent, RunView, TurnDetail } from "../../wire/generated";

const RECENT = 25;

/** What the Run screen shows, live: loaded again when something happened, turns folded in at once. */
export class LiveRun {
  view = $state.raw<RunView | null>(null);
  error = $state.raw<ErrorShape | null>(null);
  private readonly folding = new Ahead<RunView>((view, event) => folded(view, event));
  private readonly refresher = new Refresher(() => this.load(), 40);

  constructor(readonly campaign: string) {}

  /** Follow the feed until the returned function is called. */
  open(): () => void {
    return keepFresh(
      this.campaign,
      this.refresher,
      (event) => {
        this.view = this.folding.event(this.view, event);
        return true;
      },
      () => this.folding.forget(),
    );
  }

  again(): void {
    this.refresher.ask();
  }

  private async load(): Promise<void> {
    try {
      this.view = this.folding.loaded(await runs.view(this.campaign));
      this.error = null;
    } catch (error) {
      if (!(error instanceof RequestFailed)) throw error;
      this.error = error.shape;
    }
  }
}

function folded(view: RunView, event: FeedEvent): RunView {
  const turn = foldTurn(event, (task) => {
    const known = view.turns.rows.find((one) => one.task_id === task);
    const next = view.next.find((one) => one.id === task);
    return { task: known?.task ?? next?.description ?? "", lead: known?.lead_name ?? next?.lead_name ?? "" };
  });
  const next = { ...view, seq: event.seq };
  if (turn === null || view.turns.rows.some((one) => one.number === turn.number)) return next;
  return { ...next, turns: { ...view.turns, rows: [turn, ...view.turns.rows].slice(0, RECENT) } };
}

/** One turn of the past, loaded when it is chosen. */
export class ChosenTurn {
  detail = $state.raw<TurnDetail | null>(null);
  error = $state.raw<ErrorShape | null>(null);

  constructor(readonly campaign: string, readonly number: number) {
    void this.load();
  }

  private async load(): Promise<void> {
    try {
      this.detail = await runs.turn(this.campaign, this.number);
    } catch (error) {
      if (!(error instanceof RequestFailed)) throw error;
      this.error = error.shape;
    }
  }
}
