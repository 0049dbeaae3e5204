import { expect, it } from "vitest";
import cases from "../../../../tests/data/csv_cells.json";
import { neutralised } from "./csvCell";

it.each(cases)("copies %j as exports write it", (cell, exported) => {
  expect(neutralised(cell!)).toBe(exported);
});
