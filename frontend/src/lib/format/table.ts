import { neutralised } from "./csvCell";

/** What a picture shows, as rows: the table beside it and the CSV are made of the same. */
export interface Table {
  head: string[];
  rows: (string | number)[][];
}

/** RFC 4180; a text that a spreadsheet would take for a formula is marked as text. */
export function csv(table: Table): string {
  const cell = (value: string | number) => {
    const text = typeof value === "string" ? neutralised(value) : String(value);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [table.head, ...table.rows].map((row) => row.map(cell).join(",")).join("\r\n") + "\r\n";
}
