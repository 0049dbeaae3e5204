import type { TasksAddCommitment } from "../../lib/api/generated";

export type Promised = TasksAddCommitment["promise"];
export type Kind = "sql" | "file_exists" | "file_contains" | "command";

export const KINDS: Record<Kind, string> = {
  file_exists: "A file exists",
  file_contains: "A file contains a text",
  sql: "A query gives a value",
  command: "A command succeeds",
};

/** What is typed; the fields of all kinds, so that changing the kind loses nothing. */
export interface ConditionFields {
  kind: Kind;
  path: string;
  text: string;
  select: string;
  expected: string;
  argv: string;
}

/** A program and its arguments, one a line; an empty last line is no argument. */
export function argvOf(text: string): string[] {
  const lines = text.replaceAll("\r", "").split("\n");
  while (lines.at(-1) === "") lines.pop();
  return lines[0] ? lines : [];
}

/** The condition as it is sent; null while something is missing. A whole number is expected as a number. */
export function promiseOf(fields: ConditionFields): Promised | null {
  const path = fields.path.trim();
  switch (fields.kind) {
    case "sql": {
      const expected = /^-?\d{1,15}$/.test(fields.expected.trim()) ? Number(fields.expected) : fields.expected;
      return fields.select.trim().length < 8 ? null : { type: "sql", select: fields.select.trim(), expected };
    }
    case "command": {
      const argv = argvOf(fields.argv);
      return argv.length === 0 ? null : { type: "command", argv, exit_code: 0, timeout_s: 30 };
    }
    case "file_contains":
      return path === "" || fields.text === "" ? null : { type: "file_contains", path, text: fields.text };
    case "file_exists":
      return path === "" ? null : { type: "file_exists", path, sha256: null };
  }
}
