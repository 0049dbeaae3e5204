import { turnsView, runsView } from "../../lib/api/calls";
import type { FeedEvent, RunView, TurnDetail } from "../../lib/api/generated";
import { LiveQuery } from "../../lib/query/liveQuery.svelte";
import { Query } from "../../lib/query/query.svelte";
import { foldTurn } from "./foldTurn";

const RECENT = 25;

/** What the Run screen shows, live: turns are there as soon as they ended. */
export class RunQuery extends LiveQuery<RunView> {
  constructor(campaign: string) {
    super(campaign, () => runsView(campaign), foldRun);
  }
}

function foldRun(view: RunView, event: FeedEvent): RunView {
  const turn = foldTurn(event, (task) => {
    const turn = view.turns.rows.find((row) => row.task_id === task);
    const waiting = view.next.find((row) => row.id === task);
    return { task: turn?.task ?? waiting?.description ?? "", lead: turn?.lead_name ?? waiting?.lead_name ?? "" };
  });
  const next = { ...view, seq: event.seq };
  if (turn === null || view.turns.rows.some((row) => row.number === turn.number)) return next;
  return { ...next, turns: { ...view.turns, rows: [turn, ...view.turns.rows].slice(0, RECENT) } };
}

/** One turn of the past, read when it is chosen. */
export class TurnQuery extends Query<TurnDetail> {
  constructor(campaign: string, number: number) {
    super(() => turnsView(campaign, number));
  }
}
