import type { ArtifactType, Source } from "../../wire/generated";

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

export const BY: Record<Source, string> = { user: "by you", agent: "by the agent" };

/** A file's name for a version of an artifact. */
export function fileName(type: ArtifactType, key: string, version: number): string {
  const ending = TYPES[type].ending;
  const [stem, own] = /^(.+)\.([a-z0-9]{1,8})$/.exec(key)?.slice(1) ?? [key, ending];
  return `${stem}-v${version}.${own}`;
}
