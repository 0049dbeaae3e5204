import type { HealthCheck, Device, ErrorShape } from "../../../lib/api/generated";

/** What may be the address of a project and its public key, and what is known of it. */

const HOSTED = /^https:\/\/(?:supabase\.com|app\.supabase\.com)\/(?:dashboard\/)?project\/([a-z0-9]{8,40})/;
const LOOPBACK = /^http:\/\/(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?:[:/]|$)/;

/** The project's address as it is meant: without what a copy from the browser or the documentation brings along. */
export function addressOf(typed: string): string {
  const text = typed.trim();
  const hosted = HOSTED.exec(text);
  if (hosted) return `https://${hosted[1]}.supabase.co`;
  return text.replace(/(?:\/(?:rest|auth)\/v1)?\/*$/, "");
}

/** What is wrong with an address, "" if nothing can be said against it. */
export function wrongAddress(typed: string): string {
  const address = addressOf(typed);
  if (address === "") return "";
  if (/^postgres(?:ql)?:/.test(address))
    return "This is the database's own address, with its password. Take the Project URL, which begins with https://.";
  if (/^http:/.test(address) && !LOOPBACK.test(address))
    return "A password is not safe over http://. The address must begin with https://.";
  if (!/^https?:\/\//.test(address)) return "The address must begin with https://.";
  return URL.canParse(address) && !/\s/.test(address)
    ? ""
    : "This is not an address. It should look like https://abcdefgh.supabase.co.";
}

/** What is wrong with a public key, "" if nothing can be said against it. A secret key goes nowhere, not even to be tested. */
export function wrongKey(typed: string): string {
  const key = typed.trim();
  if (key === "") return "";
  if (key.startsWith("sb_secret_") || key.startsWith("sbp_") || roleOf(key) === "service_role") {
    return "This is the secret key: with it everybody's data can be read. It was not sent anywhere. Take the “publishable” or “anon” key.";
  }
  if (/^(?:https?|postgres\w*):/.test(key)) return "This is an address. The key is one long word beside it.";
  return /^[\x21-\x7e]+$/.test(key) ? "" : "A key is one word without spaces. Copy it with the button beside it.";
}

/** How this device and the project stand, unless another device took its access away: nothing is refused before it writes. */
export const statusHere = (words: string, devices: readonly Device[]): string =>
  devices.some(({ here, revoked_at }) => here && revoked_at !== null) ? "Another device revoked this one's access" : words;

/** What has to be done before a project can be attached or detached, "" if nothing has. */
export const toDoFirst = (running: boolean, passphrase: boolean): string =>
  passphrase
    ? "Choose a passphrase for this machine first, above."
    : running
      ? "A campaign is running. Pause everything first: a project is attached or detached while nothing runs."
      : "";

/** The role that a key in the older form (a JSON web token) names; "" if it is none. */
function roleOf(key: string): string {
  try {
    const claims: unknown = JSON.parse(atob((key.split(".")[1] ?? "").replaceAll("-", "+").replaceAll("_", "/")));
    return typeof claims === "object" && claims !== null && "role" in claims ? String(claims.role) : "";
  } catch {
    return "";
  }
}

/** The fields of attaching a project. */
export type FieldName = "url" | "key" | "email" | "password" | "code";

/** Which field an error, or a line of a check, is about, so that it is said beside it. */
const ABOUT: Readonly<Record<string, FieldName>> = {
  project_address: "url",
  project_address_refused: "url",
  project_unreachable: "url",
  project_key: "key",
  project_key_secret: "key",
  project_key_refused: "key",
  sign_in_unknown: "email",
  sign_in_known: "email",
  sign_in_email_refused: "email",
  sign_in_wrong: "password",
  sign_in_password_weak: "password",
  sign_in_code_wrong: "code",
  sign_in_link_spent: "code",
  sign_in_link_of_another: "code",
  sign_in_link_elsewhere: "code",
};

export const aboutField = (code: string | undefined): FieldName | null => ABOUT[code ?? ""] ?? null;

/** What is wrong, for each field: what can be seen of what was typed, what a look at the project found, and what it answered. */
export function wrongFields(
  typed: { url: string; key: string },
  lines: readonly HealthCheck[],
  error: ErrorShape | null,
): Partial<Record<FieldName, string>> {
  const problems: Partial<Record<FieldName, string>> = { url: wrongAddress(typed.url), key: wrongKey(typed.key) };
  const failures = lines
    .filter((line) => line.status === "fail")
    .map((line) => ({ code: line.code, sentence: line.said, remedy: line.remedy }));
  for (const failure of error === null ? failures : [...failures, error]) {
    const field = aboutField(failure.code);
    if (field !== null) problems[field] ||= `${failure.sentence} ${failure.remedy}`.trim();
  }
  return problems;
}

/** A finding as a sentence: one that begins with a word has a capital, one that begins with a host has not. */
export const asSentence = (text: string): string =>
  text.replace(/^[a-z]+(?=\s)/, (word) => word.charAt(0).toUpperCase() + word.slice(1));

/** This device first, then those that may come back, then by when they joined. */
export const inOrder = (devices: readonly Device[]): Device[] =>
  devices.toSorted(
    (device, other) =>
      Number(other.here) - Number(device.here) ||
      Number(device.revoked_at !== null) - Number(other.revoked_at !== null) ||
      device.joined_at - other.joined_at,
  );
