import { expect, test } from "vitest";
import { argvOf, promiseOf } from "./condition";
import type { ConditionFields } from "./condition";

const EMPTY: ConditionFields = { kind: "sql", path: "", text: "", select: "", expected: "", argv: "" };

test("a command is a program and arguments, one a line, as they were typed", () => {
  expect(argvOf("make\n check all \n\n-n\n\n")).toEqual(["make", " check all ", "", "-n"]);
  expect(argvOf("")).toEqual([]);
  expect(argvOf("\n-n")).toEqual([]);
});

test("a condition is sent once it is complete", () => {
  expect(promiseOf({ ...EMPTY, kind: "command" })).toBe(null);
  expect(promiseOf({ ...EMPTY, kind: "file_exists", path: "  " })).toBe(null);
  expect(promiseOf({ ...EMPTY, kind: "file_contains", path: "a.txt" })).toBe(null);
  expect(promiseOf({ ...EMPTY, kind: "file_contains", path: " a.txt ", text: " x " })).toEqual({ type: "file_contains", path: "a.txt", text: " x " });
});

test("a whole number is expected as a number, everything else as text", () => {
  const asked = { ...EMPTY, select: "SELECT count(*) FROM leads" };
  expect(promiseOf({ ...asked, expected: " 12 " })).toMatchObject({ expected: 12 });
  expect(promiseOf({ ...asked, expected: "12 people" })).toMatchObject({ expected: "12 people" });
});
