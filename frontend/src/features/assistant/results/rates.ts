import { percent } from "../../../lib/format/numbers";
import type { Table } from "../../../lib/format/table";
import type { RatesShown } from "../../../lib/api/generated";

/** The numbers of the picture, one at a time. */
export function ratesTable(shown: RatesShown): Table {
  return {
    head: [shown.field, "Contacted", "Replied", "Rate"],
    rows: shown.rows.map((row) => [
      row.value || "(none)",
      row.contacted,
      row.responded,
      percent(row.responded, row.contacted),
    ]),
  };
}
