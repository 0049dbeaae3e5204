import { plural } from "../state/numbers";
import type { Conversation, FeedEvent, Line } from "../wire/generated";

/** What a turn led to. */
export type Result = NonNullable<Line["result"]>;

/** The part of a conversation that is at hand, oldest first; `before` asks for what came earlier. */
export interface Held {
  lines: readonly Line[];
  before: string | null;
}

/** So many lines are kept while nobody reads the earlier ones. */
export const KEPT = 200;

/** What is at hand after the latest lines were loaded. Earlier ones stay, unless something between was missed or, `atEnd`, they are many. */
export function latest(held: Held | null, page: Conversation, atEnd: boolean): Held {
  const first = page.lines[0]?.id;
  const from = held?.lines.findIndex((line) => line.id === first) ?? -1;
  if (held === null || from < 0 || (atEnd && from + page.lines.length > KEPT)) return { lines: page.lines, before: page.before };
  return { lines: [...held.lines.slice(0, from), ...page.lines], before: held.before };
}

/** What is at hand after earlier lines were loaded. */
export function earlier(held: Held, page: Conversation): Held {
  const known = new Set(held.lines.map((line) => line.id));
  return { lines: [...page.lines.filter((line) => !known.has(line.id)), ...held.lines], before: page.before };
}

/** An answer closes its question wherever it stands; a load brings only the latest lines. */
export function answered(held: Held, event: FeedEvent): Held {
  if (event.entity !== "input_request" || event.changes === null) return held;
  const { answer, status } = event.changes;
  if (typeof answer !== "string" || status === "open") return held;
  const at = held.lines.findIndex((line) => line.question?.id === event.entity_id);
  const line = held.lines[at];
  if (!line?.question || line.question.answer === answer) return held;
  return { ...held, lines: held.lines.with(at, { ...line, question: { ...line.question, answer } }) };
}

/** What the user said before, latest first, each once. */
export function saidBefore(lines: readonly Line[]): string[] {
  return [...new Set(lines.filter((line) => line.author === "user").map((line) => line.text).reverse())];
}

/** A line in few words, for whoever hears the page. */
export function spoken(line: Line): string {
  const who = { user: "You", model: "The model", outrider: "Outrider" }[line.author];
  const what = line.question?.question ?? (line.result?.kind === "told" ? line.result.sentence : line.text || named(line));
  return `${who}: ${what.length > 300 ? `${what.slice(0, 300)}…` : what}`;
}

function named(line: Line): string {
  const result = line.result;
  switch (result?.kind) {
    case "artifacts":
      return plural(result.total, "artifact");
    case "artifact":
      return `the artifact ${result.artifact.key}`;
    case "rates":
      return `response rates by ${result.field}`;
    case "lead":
      return `${result.name}: ${result.sentences.join(" ")}`;
    default:
      return "";
  }
}
