import { diffLines } from "diff";

/** A line of a comparison: in both, only before, only after; or a fold of `hidden` lines that are in both. */
export type Line =
  | { kind: "same" | "removed" | "added"; before: number | null; after: number | null; text: string; note: string }
  | { kind: "fold"; hidden: number };

/** Unchanged lines that stay visible around a change. */
const AROUND = 3;
const PATIENCE = 1_000;

/** Line by line, with what cannot be seen said; null when the two are too different to be compared in reasonable time. */
export function compare(before: string, after: string): Line[] | null {
  const parts = diffLines(before, after, { timeout: PATIENCE });
  if (parts === undefined) return null;
  const lines: Line[] = [];
  let left = 1;
  let right = 1;
  for (const part of parts) {
    const kind = part.added ? "added" : part.removed ? "removed" : "same";
    for (const raw of split(part.value)) {
      lines.push({
        kind,
        before: kind === "added" ? null : left,
        after: kind === "removed" ? null : right,
        ...shown(raw),
      });
      if (kind !== "added") left += 1;
      if (kind !== "removed") right += 1;
    }
  }
  return folded(lines);
}

/** How many lines were added and removed. */
export function counted(lines: readonly Line[]): { added: number; removed: number } {
  const of = (kind: Line["kind"]) => lines.filter((line) => line.kind === kind).length;
  return { added: of("added"), removed: of("removed") };
}

const split = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

function shown(raw: string): { text: string; note: string } {
  const notes = [];
  let text = raw;
  if (text.endsWith("\n")) text = text.slice(0, -1);
  else notes.push("no line end");
  if (text.endsWith("\r")) {
    text = text.slice(0, -1);
    notes.push("CR");
  }
  if (text.startsWith("\ufeff")) notes.push("byte order mark");
  return { text, note: notes.join(", ") };
}

function folded(lines: Line[]): Line[] {
  const near = lines.map(() => false);
  lines.forEach((line, at) => {
    if (line.kind === "added" || line.kind === "removed") near.fill(true, Math.max(0, at - AROUND), at + AROUND + 1);
  });
  const result: Line[] = [];
  let hidden = 0;
  lines.forEach((line, at) => {
    if (!near[at]) {
      hidden += 1;
      return;
    }
    if (hidden > 0) result.push({ kind: "fold", hidden });
    hidden = 0;
    result.push(line);
  });
  if (hidden > 0) result.push({ kind: "fold", hidden });
  return result;
}
