import { expect, it } from "vitest";
import { blocks, runs } from "./markdown";

const plain = (text: string) => runs(text).map((run) => run.text).join("");

it("reads bold, code and links, and of a link what it says", () => {
  expect(runs("**Review** (`g r`). See [proof](../proof.md).")).toEqual([
    { text: "Review", bold: true, code: false },
    { text: " (", bold: false, code: false },
    { text: "g r", bold: false, code: true },
    { text: "). See ", bold: false, code: false },
    { text: "proof", bold: false, code: false },
    { text: ".", bold: false, code: false },
  ]);
  expect(plain("with *LinkedIn Assist*, the default")).toBe("with LinkedIn Assist, the default");
});

it("reads headings, paragraphs, lists and tables", () => {
  const page = blocks("# A morning\n\n**Inbox** (`g i`). A reply\nstops it.\n\n1. One\n   goes on\n2. Two\n\n| See | Do |\n|---|---|\n| `a` | b |");
  expect(page.map((block) => block.kind)).toEqual(["title", "text", "list", "table"]);
  expect(page[1]).toMatchObject({ section: "Inbox" });
  expect(page[2]).toMatchObject({ ordered: true, items: [[{ text: "One goes on" }], [{ text: "Two" }]] });
  expect(page[3]).toMatchObject({ rows: [[[{ text: "a", code: true }], [{ text: "b" }]]] });
});

it("has a page for every screen, and the section of those that have one", async () => {
  const { guideOf } = await import("./pages");
  const titles = ["today", "review", "send", "inbox"].map((screen) => guideOf(screen).section);
  expect(titles).toEqual(["Today", "Review", "Send", "Inbox"]);
  for (const { page, section } of [...["today", "review", "send", "inbox"].map(guideOf), guideOf("leads"), guideOf("models"), guideOf("nothing")])
    expect(blocks(page).some((block) => section === "" || ("section" in block && block.section === section)), section).toBe(true);
});
