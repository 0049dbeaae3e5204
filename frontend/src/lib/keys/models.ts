import { money, tokens } from "../format/cost";
import { date } from "../format/dates";
import { hides, reveal } from "../format/hiddenCharacters";
import { count, plural } from "../format/numbers";
import type { Connection, ConnectionTest, ErrorShape, ModelKey, ModelPreset, ModelPrice, OfferedModels, VaultStatus } from "../api/generated";
import { wantsPassphrase, wrongPassphrase } from "./passphrase";

/** A connection under the user's hands: money in dollars per million tokens, times in seconds, as they are typed. */
export interface ModelDraft {
  id: string;
  provider: Connection["provider"];
  name: string;
  base_url: string;
  plain_http: boolean;
  model: string;
  mode: Connection["mode"];
  max_output_tokens: number;
  context_tokens: number;
  whole_s: number;
  first_s: number;
  price_in: number;
  price_out: number;
  key: string;
}

/** What is typed beside the draft and shown nowhere again. */
export interface Secrets {
  key: string;
  passphrase: string;
  again: string;
  code: string;
}

export const NO_SECRETS: Readonly<Secrets> = { key: "", passphrase: "", again: "", code: "" };

/** What a key can be saved after: a passphrase that is chosen first, one that unlocks, that with a recovery code, or nothing. */
export type Opening = "new" | "passphrase" | "passphrase_and_code" | "nothing";

export function openingOf(vault: Pick<VaultStatus, "state" | "needs"> | null): Opening {
  if (vault === null) return "nothing";
  if (wantsPassphrase(vault)) return "new";
  return vault.state === "locked" ? vault.needs : "nothing";
}

/** What one press of Save does, in this order; the first that fails is the last. */
export type SaveStep = "vault" | "unlock" | "model" | "key" | "test";

/** What can fail in the form: a step of Save, or the question which models there are. */
export type FormStep = SaveStep | "names";

export function saveSteps(opening: Opening, secrets: Secrets): SaveStep[] {
  const open: SaveStep[] = opening === "nothing" ? [] : opening === "new" ? ["vault"] : ["unlock"];
  const opens = secrets.key !== "" || secrets.passphrase !== "";
  return [...(opens ? open : []), "model", ...(secrets.key === "" ? [] : (["key"] as const)), "test"];
}

const OUTCOMES: Record<FormStep, { done: string; failed: string }> = {
  vault: { done: "The vault was created.", failed: "The vault was not created." },
  unlock: { done: "The keys were unlocked.", failed: "The keys were not unlocked." },
  model: { done: "The model was saved.", failed: "The model was not saved." },
  key: { done: "The key was saved.", failed: "The key was not saved." },
  test: { done: "", failed: "The model was not tested." },
  names: { done: "", failed: "" },
};

export interface FailedStep {
  step: FormStep;
  error: ErrorShape;
}

/** What a press of Save did, step by step, and where it ended. */
export const savedText = (done: readonly SaveStep[], failed: FailedStep | null): string =>
  [...done.map((step) => OUTCOMES[step].done), failed ? OUTCOMES[failed.step].failed : ""].filter(Boolean).join(" ");

const OF_ADDRESS = new Set(["model_address_refused", "proposer_unreachable", "proposer_garbled", "proposer_no_content", "proposer_web_page", "proposer_timeout"]);
const OF_KEY = new Set(["proposer_unauthorised", "proposer_key_missing", "key_malformed", "key_not_for_host", "vault_locked", "key_unreadable"]);

/** The field that can mend a failure, "" if none can; without the name of a key there is no field for one. */
export function failedField({ step, error }: FailedStep, keyed = true): string {
  if (step === "unlock") return error.code === "recovery_code_wrong" ? "code" : "passphrase";
  if (step === "vault") return "passphrase";
  if (step === "key") return "secret";
  if (step === "names" && OF_KEY.has(error.code)) return keyed ? "secret" : "key";
  if (step === "names") return OF_ADDRESS.has(error.code) ? "base_url" : "model";
  return error.code === "model_address_refused" ? "base_url" : "";
}

/** What keeps a server from being asked for its models, in the place of what it would answer. */
export function notAsked(draft: ModelDraft, secrets: Secrets): ErrorShape | null {
  const address = wrongWith(draft)["base_url"];
  if (address !== undefined) return { code: "model_address_refused", sentence: address, remedy: "" };
  const key = wrongSecrets(secrets, "nothing")["secret"];
  return key === undefined ? null : { code: "key_unreadable", sentence: key, remedy: "" };
}

/** How many names are shown at once. */
export const SHOWN_NAMES = 50;

/** The offered names that have all of these words in them, the shown ones and how many more. */
export function matches(names: readonly string[], words: string): { names: readonly string[]; more: number } {
  const terms = words.toLowerCase().split(/\s+/);
  const matching = names.filter((name) => terms.every((term) => name.toLowerCase().includes(term)));
  return { names: matching.slice(0, SHOWN_NAMES), more: Math.max(0, matching.length - SHOWN_NAMES) };
}

/** What a server offers, in a sentence. */
export const offeredText = ({ names, more }: Pick<OfferedModels, "names" | "more">): string =>
  `${plural(names.length, "model")} offered.${more > 0 ? ` ${count(more)} more ${more === 1 ? "is" : "are"} not shown.` : ""}`;

/** Whether there is a field for a key: by its name it is known that one is needed, of an own address nobody knows. */
export const takesKey = ({ key, provider }: Pick<ModelDraft, "key" | "provider">): boolean => key.trim() !== "" || provider === "other";

/** A key that was typed is kept under a name. */
export const wrongKeyName = ({ key }: Pick<ModelDraft, "key">, secrets: Secrets): Record<string, string> =>
  secrets.key !== "" && key.trim() === "" ? { key: "Give the key a name, under which it is kept." } : {};

/** What keeps secrets from being sent, by field. */
export function wrongSecrets(secrets: Secrets, opening: Opening): Record<string, string> {
  const problems: Record<string, string> = {};
  if (!/^[\x21-\x7e]*$/.test(secrets.key)) problems["secret"] = "A key has letters, digits and signs only, without spaces.";
  if (opening === "nothing" || (secrets.key === "" && secrets.passphrase === "")) return problems;
  if (opening === "new") {
    const { first, second } = wrongPassphrase(secrets.passphrase, secrets.again);
    if (first) problems["passphrase"] = first;
    if (second) problems["again"] = second;
    return problems;
  }
  if (secrets.passphrase === "") problems["passphrase"] = "Enter the passphrase that unlocks the keys.";
  if (opening === "passphrase_and_code" && secrets.code.trim().length < 20) problems["code"] = "Enter the whole recovery code.";
  return problems;
}

const MICROS = 1_000_000;

// A price that is left open is no number in the form, and null where it is kept.
const dollars = (micros: number | null): number => (micros === null ? Number.NaN : micros / MICROS);
const micros = (typed: number): number | null => (Number.isNaN(typed) ? null : Math.round(typed * MICROS));

export const MODES: readonly { id: Connection["mode"]; title: string }[] = [
  { id: "json_schema", title: "Enforced schema" },
  { id: "json_object", title: "JSON, schema in the prompt" },
  { id: "text", title: "Plain text, schema in the prompt" },
];

/** A new connection, as usual for its provider. */
export const drafted = (preset: ModelPreset, id: string): ModelDraft => ({
  id,
  provider: preset.provider,
  name: preset.title,
  base_url: preset.base_url,
  plain_http: false,
  model: preset.model,
  mode: preset.mode,
  max_output_tokens: 1_024,
  context_tokens: 32_768,
  first_s: 60,
  whole_s: 180,
  price_in: preset.hosted ? Number.NaN : 0,
  price_out: preset.hosted ? Number.NaN : 0,
  key: preset.key,
});

export const draftOf = (connection: Connection): ModelDraft => ({
  id: connection.id,
  provider: connection.provider,
  name: connection.name,
  base_url: connection.base_url,
  plain_http: connection.plain_http,
  model: connection.model,
  mode: connection.mode,
  max_output_tokens: connection.max_output_tokens,
  context_tokens: connection.context_tokens,
  first_s: connection.first_token_timeout_ms / 1_000,
  whole_s: connection.total_timeout_ms / 1_000,
  price_in: dollars(connection.price_in),
  price_out: dollars(connection.price_out),
  key: connection.key,
});

/** What is sent; what the form does not show stays as it was kept, or as it is usual. */
export function connectionOf(draft: ModelDraft, saved: Connection | null): Connection {
  const { first_s, whole_s, price_in, price_out, ...same } = draft;
  const between = { connect_timeout_ms: saved?.connect_timeout_ms ?? 10_000, idle_timeout_ms: saved?.idle_timeout_ms ?? 30_000 };
  return {
    ...between,
    ...same,
    name: same.name.trim(),
    base_url: same.base_url.trim(),
    model: same.model.trim(),
    key: same.key.trim(),
    first_token_timeout_ms: Math.round(first_s * 1_000),
    total_timeout_ms: Math.round(whole_s * 1_000),
    price_in: micros(price_in),
    price_out: micros(price_out),
  };
}

/** What is known of the price of a draft's model, if it is its provider itself that is asked. */
export function knownPrice(draft: ModelDraft, preset: ModelPreset | null, prices: readonly ModelPrice[]): ModelPrice | null {
  if (preset === null || draft.base_url.trim() !== preset.base_url) return null;
  const model = draft.model.trim().replace(/^models\//, ""); // as Gemini lists them
  const family = model.replace(/-(\d{8}|latest)$/, "");
  return prices.find((price) => price.provider === draft.provider && price.family === family) ?? null;
}

/** Whether a draft has exactly these prices; null: both left open. */
export const hasPrice = (draft: ModelDraft, price: ModelPrice | null): boolean =>
  Object.is(draft.price_in, price?.price_in ?? Number.NaN) && Object.is(draft.price_out, price?.price_out ?? Number.NaN);

/** What is said of prices that were proposed. */
export const proposedText = (price: ModelPrice, priced_on: string): string =>
  `Proposed, check it: ${price.family} cost ${money(price.price_in * MICROS)} in and ${money(price.price_out * MICROS)} out on ${date(Date.parse(priced_on), [])}.`;

const LEFT_OPEN = "The campaign's limit of tokens holds, and its limit of money does not.";

/** What the prices of a draft mean, before it is saved. */
export function priceText({ price_in, price_out }: Pick<ModelDraft, "price_in" | "price_out">): string {
  if (Number.isNaN(price_in) && Number.isNaN(price_out)) return `Prices are left open. ${LEFT_OPEN}`;
  if (Number.isNaN(price_in) || Number.isNaN(price_out))
    return "One price is left open: what it stands for counts as tokens, and not as money.";
  if (price_in === 0 && price_out === 0) return "Free: only the campaign's limit of tokens holds.";
  return "The campaign's limits of money and of tokens hold.";
}

/** The prices of a saved connection, in few words. */
export function pricesOf({ price_in, price_out }: Pick<Connection, "price_in" | "price_out">): string {
  if (price_in === null && price_out === null) return "price not known, limited by tokens";
  if (!price_in && !price_out && price_in === price_out) return "free";
  const priceText = (price: number | null) => (price === null ? "an unknown price" : money(price));
  return `${priceText(price_in)} in, ${priceText(price_out)} out per million tokens`;
}

/** Whether the address is unencrypted and not on this machine: the user must say that this is meant. */
export const isPlain = (url: string): boolean =>
  /^http:\/\/(?!localhost[:/]|localhost$|127\.|\[::1\])/i.test(url.trim());

/** What keeps a draft from being saved, by field. */
export function wrongWith(draft: ModelDraft): Record<string, string> {
  const problems: Record<string, string> = {};
  if (draft.name.trim() === "") problems["name"] = "Enter a name.";
  const blank = /\{\w+\}/.exec(draft.base_url);
  if (blank) problems["base_url"] = `Replace ${blank[0]} with the name of your own.`;
  else if (!/^https?:\/\/\S+$/.test(draft.base_url.trim()))
    problems["base_url"] = "An address beginning with https://, or http:// on this machine.";
  if (draft.model.trim() === "" || /\s/.test(draft.model.trim()))
    problems["model"] = "The model's name, exactly as its provider spells it.";
  else if (hides(draft.model)) problems["model"] = `It has hidden characters: ${reveal(draft.model.trim())}`;
  if (!/^([a-z][a-z0-9_]{0,31})?$/.test(draft.key.trim()))
    problems["key"] = "Lower-case letters, digits and underscores; empty where no key is needed.";
  for (const name of ["price_in", "price_out"] as const)
    if (draft[name] < 0 || draft[name] > 10_000) problems[name] = "Dollars, 0 if it costs nothing; empty if you do not know.";
  if (!(
    Number.isInteger(draft.max_output_tokens) &&
    draft.max_output_tokens >= 64 &&
    draft.max_output_tokens <= 65_536
  ))
    problems["max_output_tokens"] = "From 64 to 65,536.";
  if (!(Number.isInteger(draft.context_tokens) && draft.context_tokens >= 1_024 && draft.context_tokens <= 4_000_000))
    problems["context_tokens"] = "From 1,024 to 4,000,000.";
  for (const name of ["first_s", "whole_s"] as const)
    if (!(draft[name] >= 1 && draft[name] <= 3_600)) problems[name] = "From 1 to 3,600 seconds.";
  return problems;
}

const seconds = (ms: number): string => (ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`);

/** A trial in words: whether it may be used, and what was seen. */
export function trialText(trial: ConnectionTest): { tone: "good" | "warn" | "bad"; sentence: string; more: string } {
  if (trial.code !== "") return { tone: "bad", sentence: trial.sentence, more: trial.remedy };
  const seen = `First words after ${seconds(trial.first_token_ms)}, all of it after ${seconds(trial.total_ms)}; ${tokens(trial.tokens_in + trial.tokens_out)} tokens${trial.micros > 0 ? `, ${money(trial.micros)}` : ""}.`;
  if (trial.structured) return { tone: "good", sentence: "It works, and its replies have the right format.", more: seen };
  return {
    tone: "warn",
    sentence: "It answers, but not in the requested format. Try another reply format.",
    more: `It said: ${trial.said.slice(0, 120)}`,
  };
}

/** Where a key is, in words. */
export function keyText(key: ModelKey): string {
  switch (key.state) {
    case "none":
      return "No key is needed.";
    case "kept":
      return `Saved in ${key.where}.`;
    case "given":
      return `Given by ${key.where}; change it there.`;
    case "missing":
      return `Not set yet; it would be saved in ${key.where}.`;
    case "unknown":
      return key.problem;
  }
}
