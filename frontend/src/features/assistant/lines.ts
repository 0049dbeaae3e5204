import { plural } from "../../lib/format/numbers";
import { linkTo } from "../../lib/navigation/route";
import type { AssistantConversation, FeedEvent, Line } from "../../lib/api/generated";

/** What a turn led to. */
export type Result = NonNullable<Line["result"]>;

/** The part of a conversation that is loaded, oldest first; `before` asks for what came earlier. */
export interface LoadedLines {
  lines: readonly Line[];
  before: string | null;
}

/** So many lines are kept while nobody reads the earlier ones. */
export const KEPT = 200;

/** What is loaded after the latest lines arrived. Earlier ones stay, unless something between was missed or, `atEnd`, they are many. */
export function withLatestLines(loaded: LoadedLines | null, page: AssistantConversation, atEnd: boolean): LoadedLines {
  const first = page.lines[0]?.id;
  const from = loaded?.lines.findIndex((line) => line.id === first) ?? -1;
  if (loaded === null || from < 0 || (atEnd && from + page.lines.length > KEPT))
    return { lines: page.lines, before: page.before };
  return { lines: [...loaded.lines.slice(0, from), ...page.lines], before: loaded.before };
}

/** What is loaded after earlier lines arrived. */
export function withEarlierLines(loaded: LoadedLines, page: AssistantConversation): LoadedLines {
  const loadedIds = new Set(loaded.lines.map((line) => line.id));
  return { lines: [...page.lines.filter((line) => !loadedIds.has(line.id)), ...loaded.lines], before: page.before };
}

/** An answer closes its question wherever it stands; a load brings only the latest lines. */
export function withAnswer(loaded: LoadedLines, event: FeedEvent): LoadedLines {
  if (event.entity !== "input_request" || event.changes === null) return loaded;
  const { answer, status } = event.changes;
  if (typeof answer !== "string" || status === "open") return loaded;
  const at = loaded.lines.findIndex((line) => line.question?.id === event.entity_id);
  const line = loaded.lines[at];
  if (!line?.question || line.question.answer === answer) return loaded;
  return { ...loaded, lines: loaded.lines.with(at, { ...line, question: { ...line.question, answer } }) };
}

/** Where the details of a line are: with the person whom it is about, else with the turn; nowhere without a turn. */
export function detailsOf({ turn, result }: Pick<Line, "turn" | "result">, campaign: string): string | null {
  if (turn === null) return null;
  return result?.kind === "lead" ? linkTo(campaign, "leads", result.lead_id) : linkTo(campaign, "run", turn);
}

/** What events change a line. */
const CONCERNS: ReadonlySet<string> = new Set(["line", "input_request"]);

/**
 * Whether the conversation is to be read again after this event. While it is being read, the request at work is not known
 * yet: the task that changed may be it, and its end is heard of once.
 */
export function mayChange(event: FeedEvent, reading: boolean, working: string | null): boolean {
  const isOfRequest = event.entity === "task" && (reading || event.entity_id === working);
  return isOfRequest || CONCERNS.has(event.entity) || event.kind.startsWith("AssistantConversation");
}

/** What the user said before, latest first, each once. */
export function saidBefore(lines: readonly Line[]): string[] {
  return [
    ...new Set(
      lines
        .filter((line) => line.author === "user")
        .map((line) => line.text)
        .reverse(),
    ),
  ];
}

/** A line in few words, for a screen reader. */
export function spoken(line: Line): string {
  const who = { user: "You", model: "The model", outrider: "Outrider" }[line.author];
  const what =
    line.question?.question ?? (line.result?.kind === "status" ? line.result.sentence : line.text || named(line));
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
    case "facts":
      return `${result.sentence} ${result.rows.map((row) => [row.label, row.value].filter(Boolean).join(" ")).join(", ")}`;
    case "lead":
      return `${result.name}: ${result.sentences.join(" ")}`;
    default:
      return "";
  }
}
