import { expect, it } from "vitest";
import type { Connection, ConnectionTest } from "../api/generated";
import { connectionOf, drafted, draftOf, failedField, hasPrice, isPlain, keyText, knownPrice, matches, NO_SECRETS, notAsked, offeredText, openingOf, pricesOf, priceText, proposedText, savedText, saveSteps, SHOWN_NAMES, takesKey, trialText, wrongKeyName, wrongSecrets, wrongWith } from "./models";

const connection: Connection = {
  id: "c1", name: "Mine", provider: "other", base_url: "https://models.example/v1", plain_http: false, model: "m", mode: "json_object", max_output_tokens: 512,
  context_tokens: 8_192, connect_timeout_ms: 1_234, first_token_timeout_ms: 5_000, idle_timeout_ms: 4_321, total_timeout_ms: 90_000, price_in: 150_000, price_out: 600_000, key: "mine",
};
const trial: ConnectionTest = { code: "", sentence: "", remedy: "", first_token_ms: 80, total_ms: 1_450, structured: true, said: "{}", tokens_in: 40, tokens_out: 5, micros: 12 };

it("keeps everything of a connection that was opened and saved", () => expect(connectionOf(draftOf(connection), connection)).toEqual(connection));

it("leaves the prices of a hosted model open, and takes one at home as free", () => {
  const preset = { provider: "openai" as const, title: "OpenAI", about: "", base_url: "https://api.openai.com/v1", model: "", mode: "json_schema" as const, key: "openai", key_page: "https://platform.openai.com/api-keys", model_hint: "", hosted: true };
  expect(Object.keys(wrongWith(drafted(preset, "x"))).toSorted()).toEqual(["model"]);
  expect(connectionOf({ ...drafted(preset, "x"), model: "m" }, null)).toMatchObject({ price_in: null, price_out: null });
  expect(wrongWith({ ...drafted({ ...preset, hosted: false, key: "" }, "x"), model: "m" })).toEqual({});
});

it("names what is wrong", () => {
  const draft = draftOf(connection);
  expect(Object.keys(wrongWith({ ...draft, name: " ", base_url: "ftp://x", model: "two words", key: "UPPER", max_output_tokens: 1, first_s: 0 })).toSorted()).toEqual(
    ["base_url", "first_s", "key", "max_output_tokens", "model", "name"],
  );
});

it("proposes a price only for a model that it knows, asked at its provider itself", () => {
  const preset = { provider: "gemini" as const, title: "", about: "", base_url: "https://g.example/v1", model: "", mode: "text" as const, key: "gemini", key_page: "", model_hint: "", hosted: true };
  const price = { provider: "gemini" as const, family: "flash-2", price_in: 0.3, price_out: 2.5 };
  const priceOf = (model: string, base_url = preset.base_url) => knownPrice({ ...drafted(preset, "x"), model, base_url }, preset, [price]);
  expect(["flash-2", "models/flash-2", "flash-2-latest", "flash-2-20260101"].map((model) => priceOf(model))).toEqual([price, price, price, price]);
  expect(["flash-2-lite", "flash-2-2026-01-01", "flash", ""].map((model) => priceOf(model))).toEqual([null, null, null, null]);
  expect(priceOf("flash-2", "https://elsewhere.example/v1")).toBeNull();
  expect(proposedText(price, "2026-11-28")).toBe("Proposed, check it: flash-2 cost $0.30 in and $2.50 out on 28 Nov 2026.");
});

it("knows whether prices are those that were proposed, or left open", () => {
  const price = { provider: "gemini" as const, family: "f", price_in: 1, price_out: 2 };
  expect([{ ...draftOf(connection), price_in: 1, price_out: 2 }, { ...draftOf(connection), price_in: 1, price_out: Number.NaN }].map((draft) => hasPrice(draft, price))).toEqual([true, false]);
  expect(hasPrice({ ...draftOf(connection), price_in: Number.NaN, price_out: Number.NaN }, null)).toBe(true);
});

it("asks for what an address leaves to the user", () => {
  expect(wrongWith({ ...draftOf(connection), base_url: "https://{resource}.openai.azure.com/openai/v1" })["base_url"]).toBe("Replace {resource} with the name of your own.");
});

it("knows an address that could be overheard", () => {
  expect(["http://192.168.1.2/v1", "http://server.local", "http://localhost.example.com"].map(isPlain)).toEqual([true, true, true]);
  expect(["https://x.example", "http://127.0.0.1:1234/v1", "http://localhost:8080", "http://[::1]/"].map(isPlain)).toEqual([false, false, false, false]);
});

it("tells what a trial showed", () => {
  expect(trialText(trial)).toMatchObject({ tone: "good", more: expect.stringContaining("80 ms") });
  expect(trialText({ ...trial, structured: false, said: "ready" })).toMatchObject({ tone: "warn", more: "It said: ready" });
  expect(trialText({ ...trial, code: "x", sentence: "No.", remedy: "Do." })).toEqual({ tone: "bad", sentence: "No.", more: "Do." });
});

it("says where a key is and never what it is", () => {
  expect(keyText({ name: "k", state: "kept", where: "the keyring", problem: "" })).toBe("Saved in the keyring.");
  expect(keyText({ name: "k", state: "unknown", where: "", problem: "Locked." })).toBe("Locked.");
});

it("opens the vault before it saves, and only for a key", () => {
  const typed = { ...NO_SECRETS, key: "sk", passphrase: "lantern gravel otter" };
  expect(saveSteps("new", typed)).toEqual(["vault", "model", "key", "test"]);
  expect(saveSteps("passphrase", typed)).toEqual(["unlock", "model", "key", "test"]);
  expect(saveSteps("nothing", typed)).toEqual(["model", "key", "test"]);
  expect(saveSteps("new", NO_SECRETS)).toEqual(["model", "test"]);
});

it("knows what a key needs first", () => {
  expect(openingOf(null)).toBe("nothing");
  expect(openingOf({ state: "none", needs: "passphrase" })).toBe("new");
  expect(openingOf({ state: "none", needs: "nothing" })).toBe("nothing");
  expect(openingOf({ state: "locked", needs: "passphrase_and_code" })).toBe("passphrase_and_code");
});

it("names wrong secrets before anything is done", () => {
  expect(wrongSecrets(NO_SECRETS, "new")).toEqual({});
  expect(Object.keys(wrongSecrets({ ...NO_SECRETS, key: "two words" }, "new"))).toEqual(["secret", "passphrase"]);
  expect(Object.keys(wrongSecrets({ ...NO_SECRETS, key: "sk", passphrase: "lantern gravel", again: "x" }, "new"))).toEqual(["again"]);
  expect(Object.keys(wrongSecrets({ ...NO_SECRETS, key: "sk" }, "passphrase_and_code"))).toEqual(["passphrase", "code"]);
});

it("tells what was done and what failed, at the field that can mend it", () => {
  const error = { code: "x", sentence: "No.", remedy: "Do." };
  expect(savedText(["vault", "model"], { step: "key", error })).toBe("The vault was created. The model was saved. The key was not saved.");
  expect(savedText(["model", "key", "test"], null)).toBe("The model was saved. The key was saved.");
  expect(failedField({ step: "key", error })).toBe("secret");
  expect(failedField({ step: "unlock", error: { ...error, code: "recovery_code_wrong" } })).toBe("code");
  expect([failedField({ step: "model", error }), failedField({ step: "model", error: { ...error, code: "model_address_refused" } })]).toEqual(["", "base_url"]);
});

it("says what prices mean, also where they are left open", () => {
  expect(priceText({ price_in: Number.NaN, price_out: Number.NaN })).toContain("left open. The campaign's limit of tokens holds");
  expect(priceText({ price_in: 1, price_out: Number.NaN })).toContain("One price is left open");
  expect(priceText({ price_in: 0, price_out: 0 })).toContain("Free");
  expect(priceText({ price_in: 0, price_out: 1 })).toContain("limits of money and of tokens");
  expect(pricesOf({ price_in: null, price_out: null })).toBe("price not known, limited by tokens");
  expect(pricesOf({ price_in: 0, price_out: 0 })).toBe("free");
  expect(pricesOf({ price_in: 3_000_000, price_out: null })).toBe("$3.00 in, an unknown price out per million tokens");
  expect(draftOf({ ...connection, price_in: null }).price_in).toBeNaN();
});

it("asks no server that cannot be asked, and says at which field", () => {
  const draft = draftOf(connection);
  expect(notAsked(draft, NO_SECRETS)).toBeNull();
  const field = (error: ReturnType<typeof notAsked>) => error && failedField({ step: "names", error });
  expect(field(notAsked({ ...draft, base_url: "https://{resource}.example" }, NO_SECRETS))).toBe("base_url");
  expect(field(notAsked(draft, { ...NO_SECRETS, key: "two words" }))).toBe("secret");
});

it("tells at its field what kept a server from listing its models", () => {
  const at = (code: string, keyed = true) => failedField({ step: "names", error: { code, sentence: "", remedy: "" } }, keyed);
  expect(["proposer_unreachable", "proposer_web_page", "proposer_unauthorised", "key_not_for_host", "model_list_missing", "proposer_failed"].map((code) => at(code))).toEqual(
    ["base_url", "base_url", "secret", "secret", "model", "model"],
  );
  expect(at("proposer_unauthorised", false)).toBe("key");
});

it("narrows what is offered by what is typed, and shows no more than can be read", () => {
  const names = Array.from({ length: 120 }, (_, at) => `Vendor/model-${at}`);
  expect(matches(names, "")).toEqual({ names: names.slice(0, SHOWN_NAMES), more: 70 });
  expect(matches(names, "vendor 119").names).toEqual(["Vendor/model-119"]);
  expect(matches(names, "none")).toEqual({ names: [], more: 0 });
  expect(offeredText({ names, more: 0 })).toBe("120 models offered.");
  expect(offeredText({ names: ["a"], more: 1 })).toBe("1 model offered. 1 more is not shown.");
});

it("refuses a name in which something is hidden, and shows it", () => {
  expect(wrongWith({ ...draftOf(connection), model: "gpt\u200b-4" })["model"]).toBe("It has hidden characters: gpt[U+200B]-4");
});

it("has a field for a key where one may be needed, and asks for its name only with one", () => {
  expect([["other", ""], ["other", "mine"], ["ollama", ""], ["ollama", "mine"]].map(([provider, key]) => takesKey({ provider, key } as Pick<Connection, "provider" | "key">))).toEqual([true, true, false, true]);
  expect(wrongKeyName({ key: " " }, { ...NO_SECRETS, key: "sk-1" })).toEqual({ key: "Give the key a name, under which it is kept." });
  expect(wrongKeyName({ key: "" }, NO_SECRETS)).toEqual({});
  expect(wrongKeyName({ key: "mine" }, { ...NO_SECRETS, key: "sk-1" })).toEqual({});
});
