import { describe, expect, it } from "vitest";
import { NOWHERE, changed, groupOf, isFiltered, questionOf, readAddress, restOf } from "./address";

describe("the timeline's address", () => {
  it("names only what was asked for, and reads back as it was", () => {
    const asked = { ...NOWHERE, log: "audit" as const, group: "tool", about: "01ABC", turn: 38, text: "a/b %", past: 12 };
    expect(restOf(NOWHERE)).toEqual([]);
    expect(restOf(asked)).toEqual(["log", "audit", "group", "tool", "about", "01ABC", "turn", "38", "text", "a/b %", "past", "12"]);
    expect(readAddress(restOf(asked))).toEqual(asked);
  });

  it("takes an address it does not understand as nothing asked for", () => {
    expect(readAddress([])).toEqual(NOWHERE);
    expect(readAddress(["log", "nonsense", "turn", "x", "past", "-1", "odd"])).toEqual(NOWHERE);
  });

  it("forgets the group of another log, and where the log was opened", () => {
    const at = { ...NOWHERE, group: "lead", actor: "user", at: 7 };
    expect(changed(at, { log: "audit" })).toEqual({ ...NOWHERE, log: "audit", actor: "user" });
    expect(changed(at, { log: "events", text: "x" })).toEqual({ ...NOWHERE, group: "lead", actor: "user", text: "x" });
  });

  it("knows whether anything is left out", () => {
    expect(isFiltered({ ...NOWHERE, log: "audit", at: 3 })).toBe(false);
    expect(isFiltered({ ...NOWHERE, turn: 0 })).toBe(true);
    expect(isFiltered(NOWHERE)).toBe(true);
    expect(isFiltered({ ...NOWHERE, group: "all" })).toBe(false);
  });

  it("opens on the highlights, and looks through everything for something in particular", () => {
    expect(questionOf(NOWHERE).group).toBe("highlights");
    expect(groupOf({ ...NOWHERE, actor: "user" })).toBe("highlights");
    expect(questionOf({ ...NOWHERE, group: "all" }).group).toBe("");
    for (const asked of [{ about: "01ABC" }, { turn: 3 }, { text: "x" }, { at: 7 }, { log: "audit" as const }, { log: "workspace" as const }])
      expect(groupOf({ ...NOWHERE, ...asked })).toBe("");
    expect(groupOf({ ...NOWHERE, text: "x", group: "highlights" })).toBe("highlights");
  });
});
