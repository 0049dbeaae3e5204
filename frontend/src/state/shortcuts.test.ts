import { expect, it } from "vitest";
import { begins, forPeople, found, meant, spelled } from "./shortcuts";
import type { Command, Press } from "./shortcuts";

const press = (key: string, more: Partial<Press> = {}): Press => ({ key, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, repeat: false, ...more });
const command = (id: string, keys: string, more: Partial<Command> = {}): Command => ({ id, keys, title: id, group: "", run: () => {}, ...more });
const LIST = [command("palette", "mod+k"), command("next", "j|ArrowDown", { repeats: true }), command("review", "g r"), command("reject", "r")];

it("finds the command of a key", () => {
  expect(meant(LIST, press("j"), null, false)?.id).toBe("next");
  expect(meant(LIST, press("ArrowDown"), null, false)?.id).toBe("next");
  expect(meant(LIST, press("k", { ctrlKey: true }), null, false)?.id).toBe("palette");
  expect(meant(LIST, press("k", { metaKey: true }), null, false)?.id).toBe("palette");
  expect(meant(LIST, press("x"), null, false)).toBeNull();
});

it("leaves the keys of a typing user alone, but not those with a modifier", () => {
  expect(meant(LIST, press("r"), null, true)).toBeNull();
  expect(meant(LIST, press("k", { ctrlKey: true }), null, true)?.id).toBe("palette");
});

it("takes a sequence before a single key", () => {
  expect(meant(LIST, press("r"), "g", false)?.id).toBe("review");
  expect(meant(LIST, press("r"), null, false)?.id).toBe("reject");
  expect(begins(LIST, "g")).toBe(true);
  expect(begins(LIST, "r")).toBe(false);
});

it("repeats only what may be repeated", () => {
  expect(meant(LIST, press("j", { repeat: true }), null, false)?.id).toBe("next");
  expect(meant(LIST, press("r", { repeat: true }), null, false)).toBeNull();
});

it("prefers what was registered last", () => {
  expect(meant([...LIST, command("other", "j")], press("j"), null, false)?.id).toBe("other");
});

it("spells no modifier by itself", () => {
  expect(spelled(press("Shift"))).toBeNull();
  expect(spelled(press("a", { altKey: true }))).toBeNull();
});

it("tells a letter with shift from one without, and leaves other keys their shift", () => {
  expect(spelled(press("J", { shiftKey: true }))).toBe("shift+j");
  expect(spelled(press("J"))).toBe("j");
  expect(spelled(press("?", { shiftKey: true }))).toBe("?");
  expect(spelled(press("Enter", { shiftKey: true, ctrlKey: true }))).toBe("mod+shift+Enter");
});

it("shows keys to people", () => {
  expect(forPeople("shift+a", false)).toEqual(["Shift A"]);
  expect(forPeople("mod+k", false)).toEqual(["Ctrl K"]);
  expect(forPeople("mod+k", true)).toEqual(["⌘K"]);
  expect(forPeople("g r", false)).toEqual(["G", "R"]);
  expect(forPeople("Escape", false)).toEqual(["Esc"]);
});

it("finds commands by the beginnings of their words", () => {
  const list = [command("1", "", { title: "Go to Review", group: "Go to" }), command("2", "", { title: "New campaign" }), command("3", "", { hidden: true })];
  expect(found(list, "").map((one) => one.id)).toEqual(["1", "2"]);
  expect(found(list, "rev").map((one) => one.id)).toEqual(["1"]);
  expect(found(list, "camp ne").map((one) => one.id)).toEqual(["2"]);
  expect(found(list, "view")).toEqual([]);
});
