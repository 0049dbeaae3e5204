import type { FeedEvent, TaskRow } from "../../lib/api/generated";
import { foldRow } from "../../lib/live/fold";

/** `ready_at` of a task that only a person or another task can wake. */
const NEVER = 2 ** 53;

/** Fold an event into a task that is shown: its own columns, its preconditions, what was found of its commitments. */
export function foldTask(row: TaskRow, event: FeedEvent): TaskRow {
  switch (event.entity) {
    case "task": {
      const before = kept(row.before, (task) => foldRow(task, event));
      const folded = foldRow(before === row.before ? row : { ...row, before }, event);
      return folded.ready_at !== null && folded.ready_at >= NEVER ? { ...folded, ready_at: null } : folded;
    }
    case "commitment": {
      if (event.changes?.["status"] === "withdrawn")
        return { ...row, commitments: row.commitments.filter((commitment) => commitment.id !== event.entity_id) };
      const commitments = kept(row.commitments, (commitment) => foldRow(commitment, event));
      return commitments === row.commitments ? row : { ...row, commitments };
    }
    case "input_request": {
      const questions = row.questions.filter((question) => question.id !== event.entity_id || event.kind !== "InputAnswered");
      return questions.length === row.questions.length ? row : { ...row, questions };
    }
    default:
      return row;
  }
}

/** The same list if nothing in it changed. */
function kept<Row>(rows: Row[], fold: (row: Row) => Row): Row[] {
  const after = rows.map(fold);
  return after.every((row, index) => row === rows[index]) ? rows : after;
}
