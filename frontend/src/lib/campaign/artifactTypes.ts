import { PROTECTED_TYPES, type ArtifactType, type Maker, type MakerKind } from "../api/generated";
import { DAY, momentOf, type UtcOffsets } from "../format/localTime";

/** The controlled vocabulary, for people, and how a file of that type ends. */
export const TYPES: Record<ArtifactType, { title: string; ending: string }> = {
  job_posting: { title: "Job posting", ending: "txt" },
  scoring_algorithm: { title: "Scoring algorithm", ending: "json" },
  lead_scoring_config: { title: "Lead scoring config", ending: "json" },
  python_script: { title: "Python script", ending: "py" },
  analysis_result: { title: "Analysis result", ending: "txt" },
  context: { title: "Context", ending: "md" },
  research: { title: "Research", ending: "txt" },
  message_template: { title: "Message template", ending: "txt" },
  file_summary: { title: "File summary", ending: "txt" },
  note: { title: "Note", ending: "txt" },
};

export const ORDER = Object.keys(TYPES) as ArtifactType[];

/** What the user may write; the others say what Outrider itself did. */
export const WRITABLE = ORDER.filter((type) => !PROTECTED_TYPES.includes(type));

const BY: Record<MakerKind, (name: string) => string> = {
  user: () => "by you",
  model: () => "by the model",
  program: (name) => (name === "" ? "by a connected program" : `by the program “${name}”`),
  script: (sha256) => `by the script ${sha256.slice(0, 12)}`,
  controller: () => "by Outrider",
};

/** Whether it was proposed: if the user kept it, then by a yes. */
export const isProposed = (maker: Maker): boolean => maker.kind === "model" || maker.kind === "program";

/** Who made a version of an artifact. */
export const madeBy = (maker: Maker): string => BY[maker.kind](maker.name);

/** A file's name for a version of an artifact. */
export function fileName(type: ArtifactType, key: string, version: number): string {
  const ending = TYPES[type].ending;
  const [stem, own] = /^(.+)\.([a-z0-9]{1,8})$/.exec(key)?.slice(1) ?? [key, ending];
  return `${stem}-v${version}.${own}`;
}

const KINDS: Record<string, string> = {
  "text/plain": "Text",
  "application/json": "JSON",
  "text/csv": "Table (CSV)",
  "application/pdf": "PDF document",
  "application/zip": "Zip archive",
  "application/gzip": "Gzip archive",
  "application/vnd.sqlite3": "SQLite database",
};

/** A kind of data, for people. */
export function kindOf(mediaType: string): string {
  const image = /^image\/(.+)$/.exec(mediaType)?.[1];
  return KINDS[mediaType] ?? (image === undefined ? "Binary data" : `${image.toUpperCase()} image`);
}

/** The span of days `from` to `to` ("2026-11-22", both included, either may be empty) on that clock. */
export function span(from: string, to: string, offsets: UtcOffsets): { since: number | null; until: number | null } {
  const begins = (day: string, more = 0) =>
    /^\d{4}-\d\d-\d\d$/.test(day) ? Math.max(momentOf(Date.parse(`${day}T00:00:00Z`) + more * DAY, offsets), 0) : null;
  return { since: begins(from), until: begins(to, 1) };
}
