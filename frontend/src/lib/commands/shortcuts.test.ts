import { expect, it } from "vitest";
import { groupCommands, startsSequence, keyLabels, searchCommands, findCommand, keyName } from "./shortcuts";
import type { Command, Press } from "./shortcuts";

const press = (key: string, more: Partial<Press> = {}): Press => ({ key, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, repeat: false, ...more });
const command = (id: string, keys: string, more: Partial<Command> = {}): Command => ({ id, keys, title: id, group: "", run: () => {}, ...more });
const LIST = [command("palette", "mod+k"), command("next", "j|ArrowDown", { repeats: true }), command("review", "g r"), command("reject", "r")];

it("finds the command of a key", () => {
  expect(findCommand(LIST, press("j"), null, false)?.id).toBe("next");
  expect(findCommand(LIST, press("ArrowDown"), null, false)?.id).toBe("next");
  expect(findCommand(LIST, press("k", { ctrlKey: true }), null, false)?.id).toBe("palette");
  expect(findCommand(LIST, press("k", { metaKey: true }), null, false)?.id).toBe("palette");
  expect(findCommand(LIST, press("x"), null, false)).toBeNull();
});

it("leaves the keys of a typing user alone, but not those with a modifier", () => {
  expect(findCommand(LIST, press("r"), null, true)).toBeNull();
  expect(findCommand(LIST, press("k", { ctrlKey: true }), null, true)?.id).toBe("palette");
  const all = [command("all", "mod+a"), command("again", "F5|mod+r")];
  expect(findCommand(all, press("a", { ctrlKey: true }), null, true)).toBeNull();
  expect(findCommand(all, press("a", { ctrlKey: true }), null, false)?.id).toBe("all");
  expect(findCommand(all, press("F5"), null, true)?.id).toBe("again");
});

it("takes a sequence before a single key", () => {
  expect(findCommand(LIST, press("r"), "g", false)?.id).toBe("review");
  expect(findCommand(LIST, press("r"), null, false)?.id).toBe("reject");
  expect(startsSequence(LIST, "g")).toBe(true);
  expect(startsSequence(LIST, "r")).toBe(false);
});

it("repeats only what may be repeated", () => {
  expect(findCommand(LIST, press("j", { repeat: true }), null, false)?.id).toBe("next");
  expect(findCommand(LIST, press("r", { repeat: true }), null, false)).toBeNull();
});

it("prefers what was registered last", () => {
  expect(findCommand([...LIST, command("other", "j")], press("j"), null, false)?.id).toBe("other");
});

it("spells no modifier by itself", () => {
  expect(keyName(press("Shift"))).toBeNull();
  expect(keyName(press("a", { altKey: true }))).toBeNull();
});

it("tells a letter with shift from one without, and leaves other keys their shift", () => {
  expect(keyName(press("J", { shiftKey: true }))).toBe("shift+j");
  expect(keyName(press("J"))).toBe("j");
  expect(keyName(press("?", { shiftKey: true }))).toBe("?");
  expect(keyName(press("Enter", { shiftKey: true, ctrlKey: true }))).toBe("mod+shift+Enter");
});

it("shows keys to people", () => {
  expect(keyLabels("shift+a", false)).toEqual(["Shift A"]);
  expect(keyLabels("mod+k", false)).toEqual(["Ctrl K"]);
  expect(keyLabels("mod+k", true)).toEqual(["⌘K"]);
  expect(keyLabels("g r", false)).toEqual(["g", "r"]);
  expect(keyLabels("Escape", false)).toEqual(["Esc"]);
});

it("shows no key that means nothing", () => {
  const list = [command("1", "j", { title: "Next", group: "Send" }), command("2", "s", { title: "", group: "Send" })];
  expect(groupCommands(list)).toEqual([["Send", [list[0]]]]);
});

it("finds commands by the beginnings of their words", () => {
  const list = [command("1", "", { title: "Go to Review", group: "Go to" }), command("2", "", { title: "New campaign" }), command("3", "", { hidden: true })];
  expect(searchCommands(list, "").map((command) => command.id)).toEqual(["1", "2"]);
  const label = [{ id: "3", title: "Ines Pereira: interested", person: "Ines Pereira", group: "Inbox", run: () => undefined }];
  expect(searchCommands(label, "ines")).toEqual([]);
  expect(searchCommands(label, "interested").map((command) => command.id)).toEqual(["3"]);
  expect(searchCommands(list, "rev").map((command) => command.id)).toEqual(["1"]);
  expect(searchCommands(list, "camp ne").map((command) => command.id)).toEqual(["2"]);
  expect(searchCommands(list, "view")).toEqual([]);
  expect(searchCommands([command("4", "", { title: "Appearance", words: "theme dark" })], "dark").map((command) => command.id)).toEqual(["4"]);
});

it("takes each way to type a plus for larger text", () => {
  const larger = [command("larger", "mod+=|mod++|mod+shift++")];
  for (const typed of [press("=", { ctrlKey: true }), press("+", { ctrlKey: true }), press("+", { ctrlKey: true, shiftKey: true })]) {
    expect(findCommand(larger, typed, null, true)?.id).toBe("larger");
  }
});

it("means nothing by a character alone where these are switched off", () => {
  expect(findCommand(LIST, press("j"), null, false, false)).toBeNull();
  expect(findCommand(LIST, press("ArrowDown"), null, false, false)?.id).toBe("next");
  expect(findCommand(LIST, press("k", { ctrlKey: true }), null, false, false)?.id).toBe("palette");
});
