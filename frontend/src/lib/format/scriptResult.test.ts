import { describe, expect, it } from "vitest";
import type { ScriptAnswer } from "../api/generated";
import { seriesOf, sorted, tableOf, numberText } from "./scriptResult";

const answer = (shape: ScriptAnswer["shape"], result: unknown): ScriptAnswer => ({ shape, result, output: "" });
const RATES = [
  { industry: "Software", contacted: 12, "rate in %": 25 },
  { industry: "Law", contacted: 3, "rate in %": 0, note: null },
];

describe("an answer as a table", () => {
  it("has the columns of all rows in the order in which they come", () => {
    expect(tableOf(answer("table", RATES))).toEqual({
      head: ["industry", "contacted", "rate in %", "note"],
      rows: [["Software", 12, 25, ""], ["Law", 3, 0, ""]],
    });
  });

  it("takes lists and names with numbers, too, and tells what is nested", () => {
    expect(tableOf(answer("chart", { a: 1, b: 2.5 }))?.rows).toEqual([["a", 1], ["b", 2.5]]);
    expect(tableOf(answer("table", [["a", [1]], ["b"]]))).toEqual({ head: ["1", "2"], rows: [["a", "[1]"], ["b", ""]] });
    expect(tableOf(answer("text", "x"))).toBeNull();
  });

  it("has each value in the column of its name, whatever the rows and the names are", () => {
    expect(tableOf(answer("table", [{ a: 1 }, [5, 6], { "2": 7 }]))).toEqual({ head: ["a", "1", "2"], rows: [[1, "", ""], ["", 5, 6], ["", "", 7]] });
    const odd = tableOf(answer("table", JSON.parse('[{"__proto__": 1, "constructor": 2}, {"toString": 3}]')));
    expect(odd).toEqual({ head: ["__proto__", "constructor", "toString"], rows: [[1, 2, ""], ["", "", 3]] });
  });

  it("is sorted by a column, numbers as numbers", () => {
    const table = { head: ["n"], rows: [["b"], [10], [9], ["a"]] };
    expect(sorted(table, 0, false).rows.flat()).toEqual([9, 10, "a", "b"]);
    expect(sorted(table, 0, true).rows.flat()).toEqual(["b", "a", 10, 9]);
  });
});

describe("what can be drawn", () => {
  it("is every column of numbers, by the first that is none", () => {
    const series = seriesOf(tableOf(answer("table", RATES)));
    expect(series.map((series) => series.name)).toEqual(["contacted", "rate in %"]);
    expect(series[0]?.points).toEqual([{ label: "Software", value: 12 }, { label: "Law", value: 3 }]);
  });

  it("is nothing of a table of texts, without rows, or too long", () => {
    expect(seriesOf({ head: ["a", "b"], rows: [["x", "y"]] })).toEqual([]);
    expect(seriesOf({ head: ["a", "b"], rows: [] })).toEqual([]);
    expect(seriesOf({ head: ["a", "b"], rows: Array.from({ length: 61 }, () => ["x", 1]) })).toEqual([]);
  });
});

it("tells numbers without a tail", () => {
  expect([numberText(1234567), numberText(0.1 + 0.2), numberText(-2.5)]).toEqual(["1,234,567", "0.3", "-2.5"]);
});
