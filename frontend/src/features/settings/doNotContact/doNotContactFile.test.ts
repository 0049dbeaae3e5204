import { expect, test } from "vitest";
import type { DoNotContactImportRow } from "../../../lib/api/generated";
import { columnsRead, entryTitle, importWords, listedWords, notTakenBack, otherRowsWords, stoppedWords, undoWords } from "./doNotContactFile";

const ROW: DoNotContactImportRow = {
  id: "i",
  file: "list.csv",
  people: 2,
  companies: 1,
  domains: 0,
  already: 3,
  rejected: 1,
  leads_stopped: 4,
  messages_withdrawn: 1,
  created_at: 0,
  finished_at: 1,
  entries_removed: 0,
  leads_released: 0,
  undone_at: null,
};

test("whom a file lists, what it stops and what it leaves out is said by number", () => {
  expect(listedWords(ROW)).toBe("2 people, 1 company");
  expect(listedWords({ people: 0, companies: 0, domains: 0 })).toBe("nobody");
  expect(otherRowsWords(ROW)).toBe("3 already on the list, 1 rejected");
  expect(otherRowsWords({ already: 0, rejected: 0 })).toBe("");
  expect(stoppedWords(ROW)).toBe("4 leads stop, 1 approved message is withdrawn");
  expect(stoppedWords({ leads_stopped: 0, messages_withdrawn: 0 })).toBe("No lead of your campaigns is affected");
});

test("an entry is called by its name, else by what it says", () => {
  expect(entryTitle({ name: "Ada", member_key: "ada@acme.com" })).toBe("Ada");
  expect(entryTitle({ name: "", member_key: "domain:acme.com" })).toBe("acme.com");
  for (const name of ["", "(erased)"]) expect(entryTitle({ name, member_key: "forgotten:00" })).toBe("An erased person");
});

test("columns that are not understood are left out", () => {
  const columns = [{ name: "Firma", role: "company" } as const, { name: "Farbe", role: null }];
  expect(columnsRead(columns)).toEqual([{ name: "Firma", role: "company" }]);
});

test("an import says what became of it", () => {
  expect(importWords(ROW)).toBe("2 people, 1 company added · 3 already on the list, 1 rejected · 4 leads stopped");
  expect(importWords({ ...ROW, finished_at: null })).toMatch(/^Interrupted/u);
  expect(importWords({ ...ROW, undone_at: 1, entries_removed: 3 })).toBe("Undone: 3 entries removed");
});

test("undoing says what it does not take back", () => {
  const undone = { entries: 1, released: 2, still_held: 0, sent: 1, withdrawn: 2, ended: 0 };
  expect(undoWords(undone)).toBe("1 entry off the list, 2 leads may be contacted again.");
  expect(notTakenBack(undone)).toBe("Not taken back: 1 message already sent; 2 withdrawn messages, to be written again.");
  expect(notTakenBack({ ...undone, sent: 0, withdrawn: 0 })).toBe("");
});
