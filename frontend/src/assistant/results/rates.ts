import { percent } from "../../screens/insights/numbers";
import type { Table } from "../../screens/insights/numbers";
import type { RatesShown } from "../../wire/generated";

/** A field's name as people read it: "job_title" is "job title". */
export const titleOf = (field: string): string => field.replaceAll("_", " ");

export function ratesTable(shown: RatesShown): Table {
  return {
    head: [titleOf(shown.field), "Contacted", "Responded", "Rate"],
    rows: shown.rows.map((row) => [row.value || "(none)", row.contacted, row.responded, percent(row.responded, row.contacted)]),
  };
}
