import { expect, it } from "vitest";
import type { Connection, ModelTrial } from "../wire/generated";
import { connectionOf, drafted, draftOf, isPlain, keyWords, money, share, tokens, trialWords, wrongWith } from "./models";

const kept: Connection = {
  id: "c1", name: "Mine", provider: "other", base_url: "https://models.example/v1", plain_http: false, model: "m", mode: "json_object", max_output_tokens: 512,
  context_tokens: 8_192, connect_ms: 1_234, first_ms: 5_000, between_ms: 4_321, whole_ms: 90_000, price_in: 150_000, price_out: 600_000, key: "mine",
};
const trial: ModelTrial = { code: "", sentence: "", remedy: "", first_ms: 80, whole_ms: 1_450, structured: true, said: "{}", tokens_in: 40, tokens_out: 5, micros: 12 };

it("keeps everything of a connection that was opened and saved", () => expect(connectionOf(draftOf(kept), kept)).toEqual(kept));

it("asks for the prices of a hosted model, and for none of one at home", () => {
  const preset = { provider: "openai" as const, title: "OpenAI", about: "", base_url: "https://api.openai.com/v1", model: "", mode: "json_schema" as const, key: "openai", hosted: true };
  expect(Object.keys(wrongWith(drafted(preset, "x"))).toSorted()).toEqual(["model", "price_in", "price_out"]);
  expect(wrongWith({ ...drafted({ ...preset, hosted: false, key: "" }, "x"), model: "m" })).toEqual({});
});

it("names what is wrong", () => {
  const draft = draftOf(kept);
  expect(Object.keys(wrongWith({ ...draft, name: " ", base_url: "ftp://x", model: "two words", key: "UPPER", max_output_tokens: 1, first_s: 0 })).toSorted()).toEqual(
    ["base_url", "first_s", "key", "max_output_tokens", "model", "name"],
  );
});

it("knows an address that could be overheard", () => {
  expect(["http://192.168.1.2/v1", "http://server.local", "http://localhost.example.com"].map(isPlain)).toEqual([true, true, true]);
  expect(["https://x.example", "http://127.0.0.1:1234/v1", "http://localhost:8080", "http://[::1]/"].map(isPlain)).toEqual([false, false, false, false]);
});

it("spells money and tokens", () => {
  expect([0, 12, 12_300, 5_000_000].map(money)).toEqual(["$0", "<$0.0001", "$0.01", "$5.00"]);
  expect([950, 1_000, 12_345, 234_567, 4_100_000].map(tokens)).toEqual(["950", "1k", "12.3k", "235k", "4.1M"]);
});

it("tells what a trial showed", () => {
  expect(trialWords(trial)).toMatchObject({ tone: "good", more: expect.stringContaining("80 ms") });
  expect(trialWords({ ...trial, structured: false, said: "ready" })).toMatchObject({ tone: "warn", more: "It said: ready" });
  expect(trialWords({ ...trial, code: "x", sentence: "No.", remedy: "Do." })).toEqual({ tone: "bad", sentence: "No.", more: "Do." });
});

it("says where a key is and never what it is", () => {
  expect(keyWords({ name: "k", state: "kept", where: "the keyring", problem: "" })).toBe("Kept in the keyring.");
  expect(keyWords({ name: "k", state: "unknown", where: "", problem: "Locked." })).toBe("Locked.");
});

it("shows the larger share of a budget", () => {
  expect(share({ micros: 1, tokens: 50, most_micros: 4, most_tokens: 100 })).toBe(0.5);
  expect(share({ micros: 0, tokens: 0, most_micros: 0, most_tokens: 0 })).toBe(0);
  expect(share({ micros: 5, tokens: 0, most_micros: 0, most_tokens: 10 })).toBe(1);
});
