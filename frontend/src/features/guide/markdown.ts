/** A run of text within a line. */
export interface Run {
  text: string;
  bold: boolean;
  code: boolean;
}

export type Block =
  | { kind: "title" | "heading" | "text"; runs: Run[]; section: string }
  | { kind: "list"; ordered: boolean; items: Run[][] }
  | { kind: "table"; head: Run[][]; rows: Run[][][] };

const INLINE = /\*\*(.+?)\*\*|`([^`]+)`|\[([^\]]+)\]\([^)]+\)|\*(.+?)\*/gs;

/** The words of a line; of a link only what it says. */
export function runs(text: string): Run[] {
  const parts: Run[] = [];
  const add = (text: string, bold = false, code = false) => text !== "" && parts.push({ text, bold, code });
  let at = 0;
  for (const match of text.matchAll(INLINE)) {
    add(text.slice(at, match.index));
    const [whole, bold, code, link, soft] = match;
    if (bold !== undefined) parts.push(...runs(bold).map((run) => ({ ...run, bold: true })));
    else add(code ?? link ?? soft ?? "", false, code !== undefined);
    at = match.index + whole.length;
  }
  add(text.slice(at));
  return parts;
}

const cells = (line: string): Run[][] =>
  line
    .replace(/^\||\|$/g, "")
    .split("|")
    .map((cell) => runs(cell.trim()));

/** A page of the guide as blocks; a paragraph that opens with a bold word is that word's section. */
export function blocks(page: string): Block[] {
  return page
    .split(/\n\s*\n/)
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .map(block);
}

function block(part: string): Block {
  const lines = part.split("\n");
  const first = lines[0] ?? "";
  if (first.startsWith("|")) return { kind: "table", head: cells(first), rows: lines.slice(2).map(cells) };
  const item = /^(?:-|\d+\.) /;
  if (item.test(first)) {
    const items = part.split(/\n(?=(?:-|\d+\.) )/).map((text) => runs(text.replace(item, "").replace(/\n\s*/g, " ")));
    return { kind: "list", ordered: /^\d/.test(first), items };
  }
  const heading = /^(#+) (.*)$/.exec(first);
  if (heading) return { kind: heading[1] === "#" ? "title" : "heading", runs: runs(heading[2] ?? ""), section: heading[2] ?? "" };
  const parts = runs(part.replace(/\n/g, " "));
  return { kind: "text", runs: parts, section: parts[0]?.bold ? parts[0].text.replace(/\W+$/, "") : "" };
}
