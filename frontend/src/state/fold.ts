import type { FeedEvent } from "../wire/generated";

/**
 * Fold an event into a row that is shown: the columns it changed that the row has. The same fold as the server's, for the
 * part of the state that a page holds. The row itself when the event is not about it, or says nothing the row shows.
 */
export function foldRow<Row extends { id: string }>(row: Row, event: FeedEvent): Row {
  if (event.entity_id !== row.id || event.changes === null) return row;
  const changed = Object.entries(event.changes).filter(([name, value]) => name in row && row[name as keyof Row] !== value);
  return changed.length === 0 ? row : { ...row, ...Object.fromEntries(changed) };
}
