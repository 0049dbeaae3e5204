import { expect, it } from "vitest";
import type { ModelConnection } from "../../../lib/api/generated";
import { keyPlace, triedBy, vaultText, wrongName } from "./keys";
import { wantsPassphrase } from "../../../lib/keys/passphrase";

it("says where a key is and what to do, and never what it is", () => {
  expect(keyPlace({ state: "sealed", where: "the vault" })).toBe("Sealed in the vault.");
  expect(keyPlace({ state: "given", where: "OUTRIDER_KEY_X" })).toContain("change it there");
  expect(keyPlace({ state: "keychain", where: "the keyring" })).toContain("Save it once more");
  expect(keyPlace({ state: "missing", where: "" })).toBe("Not set.");
  expect(keyPlace({ state: "locked", where: "" })).toContain("unlocked");
});

it("tries a key by a connection that names it", () => {
  const connection = (id: string, key: string) => ({ connection: { id, key } }) as ModelConnection;
  expect(triedBy({ name: "openai" }, [connection("a", "mine"), connection("b", "openai")])?.connection.id).toBe("b");
  expect(triedBy({ name: "" }, [connection("a", "mine")])).toBeUndefined();
});

it("asks for a name that every store takes", () => {
  expect(["openai", "a_1", `a${"b".repeat(31)}`].map(wrongName)).toEqual(["", "", ""]);
  expect(["", "1a", "OpenAI", "two words", `a${"b".repeat(32)}`].every((name) => wrongName(name) !== "")).toBe(true);
});

it("says how the keys stand", () => {
  expect(vaultText({ state: "locked", where: "", problem: "Another device sealed them anew." }).about).toBe("Another device sealed them anew.");
  expect(vaultText({ state: "none", where: "the keyring", problem: "" }).title).toBe("Nothing is sealed yet");
  expect(vaultText({ state: "open", where: "the keyring", problem: "" }).about).toContain("the keyring");
});

it("asks for a new passphrase only where nothing is sealed and nothing else would keep it", () => {
  expect(wantsPassphrase({ state: "none", needs: "passphrase" })).toBe(true);
  expect(wantsPassphrase({ state: "none", needs: "nothing" })).toBe(false);
  expect(wantsPassphrase({ state: "locked", needs: "passphrase" })).toBe(false);
});
