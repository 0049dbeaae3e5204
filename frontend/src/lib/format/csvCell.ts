import { CSV_CELL } from "../api/generated";
import { hides } from "./hiddenCharacters";

const has = (signs: string, character: string) => signs.includes(character);
const ANY_SIGN = new RegExp(`[${CSV_CELL.signs.replace(/[-\\]^]/g, "\\$&")}]`);

/** The cell with an apostrophe before each sign that could begin a formula, as exports write it (`backend/domain/values/csv_cell.py`). */
export function neutralised(cell: string): string {
  if (!ANY_SIGN.test(cell)) return cell;
  let text = "";
  let begins = true; // whether a cell may begin here: so far at its start, or behind a separator, was nothing that is seen
  let run: "before" | "apostrophes" | "" = "before";
  for (const character of cell) {
    if (/\s/.test(character) || has(CSV_CELL.marks, character) || hides(character)) {
      begins = (run === "before" && begins) || has(CSV_CELL.separators, character);
      run = "before";
    } else if (character === "'" && run !== "") {
      run = "apostrophes";
    } else {
      if (begins && run !== "" && has(CSV_CELL.signs, character)) text += "'";
      [begins, run] = [false, ""];
    }
    text += character;
  }
  return text;
}
