/** A stretch of a script's line, for its colour. */
export interface Token {
  kind: "plain" | "keyword" | "text" | "comment" | "number";
  text: string;
}

const KEYWORDS = new Set(
  "False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield match case".split(
    " ",
  ),
);

// A comment, a text (three quotes first), a number, a name. What is left open goes to the end.
const PARTS =
  /(#[^\n]*)|((?:\b[rbfuRBFU]{1,2})?(?:"""[\s\S]*?(?:"""|$)|'''[\s\S]*?(?:'''|$)|"(?:\\[\s\S]|[^"\\\n])*"?|'(?:\\[\s\S]|[^'\\\n])*'?))|(\b\d[\w.]*)|([^\W\d]\w*)/g;

/** A script's lines in coloured stretches; together they are the script, character for character. */
export function pythonLines(source: string): Token[][] {
  const lines: Token[][] = [[]];
  const add = (kind: Token["kind"], text: string) => {
    text.split("\n").forEach((part, at) => {
      if (at > 0) lines.push([]);
      if (part !== "") lines.at(-1)?.push({ kind, text: part });
    });
  };
  let from = 0;
  for (const match of source.matchAll(PARTS)) {
    const [whole, comment, text, number] = match;
    add("plain", source.slice(from, match.index));
    add(kindOf(whole, comment, text, number), whole);
    from = match.index + whole.length;
  }
  add("plain", source.slice(from));
  return lines;
}

function kindOf(whole: string, comment?: string, text?: string, number?: string): Token["kind"] {
  if (comment !== undefined) return "comment";
  if (text !== undefined) return "text";
  if (number !== undefined) return "number";
  return KEYWORDS.has(whole) ? "keyword" : "plain";
}
