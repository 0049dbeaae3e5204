import { describe, expect, it } from "vitest";
import { helpsOf } from "./failedStart";

describe("what a failed start is offered", () => {
  it.each([
    ["database_corrupt", true, true],
    ["database_locked", true, true],
    ["database_full", true, true],
    ["on_network_drive", true, true],
    ["database_newer", false, true],
    ["log_newer", false, false],
    ["instance_running", true, false],
    ["data_dir_unusable", true, false],
    ["clock_wrong", true, false],
    ["page_missing", false, false],
    ["internal_error", true, false],
  ])("%s", (code, again, folder) => expect(helpsOf(code)).toEqual({ again, folder }));
});
