import type { ScriptAnswer } from "../api/generated";
import type { Table } from "./table";

/** A column of numbers with a label for each: what a picture can show. */
export interface Series {
  name: string;
  points: { label: string; value: number }[];
}

const isNumber = (value: unknown): value is number => typeof value === "number";

/** A cell of a table as it is shown; what is nested is told in JSON. */
function cell(value: unknown): string | number {
  if (isNumber(value) || typeof value === "string") return value;
  return value === null || value === undefined ? "" : typeof value === "boolean" ? String(value) : JSON.stringify(value);
}

/** An answer as rows, null if it is none: names with numbers, or a list of rows. */
export function tableOf(answer: ScriptAnswer): Table | null {
  const { shape, result } = answer;
  if (shape !== "table" && shape !== "chart") return null;
  if (!Array.isArray(result)) {
    return { head: ["name", "value"], rows: Object.entries(result as Record<string, unknown>).map(([name, value]) => [name, cell(value)]) };
  }
  const rows = (result as (Record<string, unknown> | unknown[])[]).map(byName);
  const head = [...new Set(rows.flatMap((row) => [...row.keys()]))];
  return { head, rows: rows.map((row) => head.map((name) => cell(row.get(name)))) };
}

/** A row's values; those of a list are named by their number. */
const byName = (row: Record<string, unknown> | unknown[]): Map<string, unknown> => new Map(Array.isArray(row) ? row.map((value, at) => [String(at + 1), value]) : Object.entries(row));

const MOST_POINTS = 60;

/** The columns of a table that can be drawn: numbers throughout, labelled by the first column that is none. */
export function seriesOf(table: Table | null): Series[] {
  if (table === null || table.rows.length === 0 || table.rows.length > MOST_POINTS) return [];
  const numbers = table.head.map((_, at) => table.rows.every((row) => isNumber(row[at])));
  const label = numbers.indexOf(false);
  if (label < 0) return [];
  return table.head.flatMap((name, at) =>
    numbers[at] === true ? [{ name, points: table.rows.map((row) => ({ label: String(row[label]), value: Number(row[at]) })) }] : [],
  );
}

/** The rows in the order of a column, numbers before texts; `down` turns it around. Rows that are equal keep their order. */
export function sorted(table: Table, column: number, down: boolean): Table {
  const compare = (a: string | number, b: string | number): number => {
    if (isNumber(a) && isNumber(b)) return a - b;
    if (isNumber(a) !== isNumber(b)) return isNumber(a) ? -1 : 1;
    return String(a).localeCompare(String(b), "en", { numeric: true });
  };
  const sign = down ? -1 : 1;
  return { head: table.head, rows: table.rows.toSorted((a, b) => sign * compare(a[column] ?? "", b[column] ?? "")) };
}

/** A number for people, as exact as it is useful. */
export const numberText = (value: number): string => (Number.isInteger(value) ? value.toLocaleString("en") : String(Number(value.toPrecision(6))));
