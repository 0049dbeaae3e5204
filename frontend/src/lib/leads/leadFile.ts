import type { FileColumn, ImportForecast, ImportedPeople, ImportPreview, ImportProgress, LeadFilter, UndoneImport } from "../api/generated";
import { count, plural } from "../format/numbers";

/** What a column can be read as. */
export const FIELDS = [
  ["", "Custom field"],
  ["full_name", "Name"],
  ["first_name", "First name"],
  ["last_name", "Last name"],
  ["profile_url", "Profile address"],
  ["email", "E-mail"],
  ["company", "Company"],
  ["job_title", "Title"],
  ["connected_on", "Connected on"],
  ["tags", "Tags"],
] as const;

/** Which files are known by their header (`lead_format.FORMATS`). */
export const FORMATS: Readonly<Record<string, string>> = {
  linkedin_connections: "A LinkedIn connections export.",
  outrider_export: "Outrider's own export.",
  outrider_exchange: "Outrider's own export with messages. People contacted before are left out.",
  phantombuster_sales_navigator: "A PhantomBuster search export.",
  apollo: "An Apollo export.",
  evaboot: "An Evaboot export.",
  dux_soup: "A Dux-Soup export.",
  linked_helper: "A Linked Helper export.",
  heyreach: "A HeyReach export.",
  la_growth_machine: "A La Growth Machine export.",
  waalaxy: "A Waalaxy export.",
  expandi: "An Expandi export.",
  lemlist: "A lemlist export.",
  salesloft: "A Salesloft export.",
  pipedrive: "A Pipedrive export.",
  hubspot: "A HubSpot export.",
  zoho: "A Zoho export.",
  salesforce: "A Salesforce export.",
  google_contacts: "Google Contacts.",
  outlook_contacts: "Outlook contacts.",
  phantombuster: "A PhantomBuster export.",
};

/** In what a file can be read, by the names that the server knows (`encoding_guess.CHOICES`). */
export const ENCODINGS = [
  ["utf-8", "UTF-8"],
  ["utf-16", "UTF-16"],
  ["cp1252", "Western European (Windows-1252)"],
  ["cp1250", "Central European (Windows-1250)"],
  ["iso8859_2", "Central European (ISO 8859-2)"],
  ["cp1251", "Cyrillic (Windows-1251)"],
  ["cp1253", "Greek (Windows-1253)"],
  ["cp1254", "Turkish (Windows-1254)"],
  ["mac_roman", "Western European (Mac)"],
  ["cp932", "Japanese (Shift-JIS)"],
  ["euc_jp", "Japanese (EUC-JP)"],
  ["gb18030", "Chinese (GB 18030)"],
  ["big5", "Chinese (Big5)"],
  ["cp949", "Korean (Windows-949)"],
] as const;

/** The encoding's title; byte orders of UTF-16 are told apart by nobody, and a file without a row has none. */
export const encodingTitle = (name: string): string => (name.startsWith("utf-16") ? "UTF-16" : ENCODINGS.find(([encoding]) => encoding === name)?.[1] ?? (name || "Not known"));

/** How many names leave open what their greeting says; only of the rows that were looked at. */
export function namesToCheck({ lacking, unsure, whole }: Pick<ImportPreview, "lacking" | "unsure" | "whole">): string {
  const n = lacking["first_name"] ?? 0;
  const shown = n > unsure.length ? `, the first ${count(unsure.length)} here` : "";
  return `${plural(n, "name")} to check${whole ? "" : " among the first rows"}${shown}`;
}

/** The summary of the rows that come a second time; only of the rows that were looked at. */
export function duplicateWords({ duplicates, forecast, whole }: Pick<ImportPreview, "duplicates" | "forecast" | "whole">): string {
  const shown = forecast.duplicates > duplicates.length ? `, the first ${count(duplicates.length)} here` : "";
  return `${plural(forecast.duplicates, "row is", "rows are")} of somebody who is in the file already${whole ? "" : ", among the first rows"}${shown}`;
}

type Mapping = Record<string, string>;

/** Field -> column, as it is shown. */
export const mappingOf = (columns: readonly FileColumn[]): Mapping =>
  Object.fromEntries(columns.flatMap(({ field, name }) => (field === null ? [] : [[field, name]])));

/** The mapping after a column was given another field: a column has one field, and a field one column. */
export function readAs(mapping: Mapping, column: string, field: string): Mapping {
  const retained = Object.entries(mapping).filter(([other, name]) => name !== column && other !== field);
  return Object.fromEntries(field === "" ? retained : [...retained, [field, column]]);
}

/** The filter that takes all people of a file. */
export const EVERYBODY: LeadFilter = { title: "", company: "", tag: "", not_in_touch: false };

/** Whether it asks anything. */
export const isFiltering = ({ title, company, tag, not_in_touch }: LeadFilter): boolean => not_in_touch || [title, company, tag].some((text) => text.trim() !== "");

/** How many people the rows are of: each once. */
export const peopleIn = ({ good, forecast }: { good: number; forecast: Pick<ImportForecast, "duplicates"> }): number => good - forecast.duplicates;

type Filtered = Pick<ImportPreview, "good" | "filtered_out" | "whole" | "forecast">;

/** How many of the file's people the filter takes, each once, and how many it leaves out. */
export function matchWords({ good, filtered_out, whole, forecast }: Filtered): string {
  const matching = peopleIn({ good, forecast });
  const all = matching + filtered_out;
  const left = filtered_out > 0 ? ` ${count(filtered_out)} left out by your filter.` : "";
  return `${count(matching)} of ${plural(all, "person", "people")}${whole ? "" : " among the first rows"} ${matching === 1 ? "matches" : "match"}.${left}`;
}

/** Whether there are people in the file, but the filter takes none of them. */
export const takesNobody = ({ good, filtered_out, whole }: Omit<Filtered, "forecast">): boolean => whole && good === 0 && filtered_out > 0;

/** What would become of the people, in words: only what there is. */
export function forecastWords(forecast: ImportForecast): string[] {
  const words: [keyof ImportForecast, string][] = [
    ["ready", "ready"],
    ["without_profile", "without a usable profile address"],
    ["duplicates", forecast.duplicates === 1 ? "duplicate" : "duplicates"],
    ["known", "already in this campaign"],
    ["elsewhere", "already in another campaign"],
    ["in_touch", "in touch with you before"],
    ["forbidden", "on the do-not-contact list"],
  ];
  return words.filter(([name]) => forecast[name] > 0).map(([name, phrase]) => `${count(forecast[name])} ${phrase}`);
}

/** What is to be done when none of the people can be written to for want of an address; empty otherwise. */
export const addressHint = ({ ready, without_profile }: Pick<ImportForecast, "ready" | "without_profile">): string =>
  ready === 0 && without_profile > 0 ? "Nobody can be written to without a profile address. Choose the column that holds it, or another file." : "";

/** Who of a file's people is known already, and what follows, a sentence each. */
export function peopleWords(people: ImportedPeople, would: boolean): string[] {
  const sentences = Object.entries(people.with_campaigns).map(
    ([campaign, n]) => `${plural(n, "person", "people")} ${n === 1 ? "is" : "are"} with “${campaign}”: left there, unless you decide otherwise on ${n === 1 ? "their page" : "their pages"}.`,
  );
  if (people.in_touch > 0)
    sentences.push(`${plural(people.in_touch, "person was", "people were")} contacted by another campaign before.`);
  if (people.asked > 0)
    sentences.push(
      `${plural(people.asked, "person", "people")} may be the same as somebody else, in the file or in your campaigns: ${would ? "you will be asked" : "say whether they are the same"}, and nothing goes to them until then.`,
    );
  return sentences;
}

/** A field of a lead as people call it; a further column by its own name. */
export const fieldTitle = (field: string): string => FIELDS.find(([name]) => name === field)?.[1] ?? field;

/** What undoing an import did, or would do. */
export function undoneWords({ taken_back, kept, restored, unlisted }: UndoneImport): string {
  const words = [`${plural(taken_back, "person", "people")} removed`];
  if (kept > 0) words.push(`${count(kept)} kept: contacted, or not to be contacted`);
  if (restored > 0) words.push(`${plural(restored, "person", "people")} as before the file`);
  if (unlisted > 0) words.push(`${plural(unlisted, "entry", "entries")} off the do-not-contact list`);
  return words.join(", ");
}

/** How far an import is, how fast, and how long it still takes. */
export function progressed({ done, total, rows_a_second, seconds_left }: ImportProgress): string {
  const far = total > 0 ? `${count(done)} of about ${count(total)} rows` : `${count(done)} rows`;
  const fast = rows_a_second > 0 ? `, ${count(rows_a_second)} a second` : "";
  return `${far}${fast}${seconds_left === null ? "" : `, about ${plural(seconds_left, "second")} left`}.`;
}

/** How many people are in it, each once, and what is left out. */
export function counted({
  usable,
  good,
  bad,
  whole,
  forecast,
}: Pick<ImportPreview, "usable" | "good" | "bad" | "whole" | "forecast">): string {
  if (!usable) return "Choose the column with the name";
  const { duplicates } = forecast;
  const people = `${plural(good - duplicates, "person", "people")}${whole ? "" : " among the first rows"}`;
  const left = [duplicates > 0 ? `${plural(duplicates, "duplicate")} left out` : "", bad > 0 ? `${count(bad)} rejected` : ""];
  return [people, ...left].filter(Boolean).join(", ");
}
