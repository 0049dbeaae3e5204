import type { FileColumn, ImportPreview } from "../wire/generated";
import { count, plural } from "./numbers";

/** What a column can be read as. */
export const FIELDS = [
  ["", "further field"], ["full_name", "Name"], ["first_name", "First name"], ["last_name", "Last name"], ["profile_url", "Profile address"],
  ["email", "E-mail"], ["company", "Company"], ["job_title", "Title"], ["connected_on", "Connected on"],
] as const;

type Mapping = Record<string, string>;

/** Field -> column, as it is shown. */
export const mappingOf = (columns: readonly FileColumn[]): Mapping =>
  Object.fromEntries(columns.flatMap(({ field, name }) => (field === null ? [] : [[field, name]])));

/** The mapping after a column was given another field: a column has one field, and a field one column. */
export function readAs(mapping: Mapping, column: string, field: string): Mapping {
  const kept = Object.entries(mapping).filter(([other, name]) => name !== column && other !== field);
  return Object.fromEntries(field === "" ? kept : [...kept, [field, column]]);
}

/** How many people are in it, in words. */
export function counted({ usable, good, bad, whole }: Pick<ImportPreview, "usable" | "good" | "bad" | "whole">): string {
  if (!usable) return "Choose the column with the name";
  const people = plural(good, "person", "people");
  return `${people}${whole ? "" : " among the first rows"}, ${count(bad)} rejected`;
}
