import type { KeyLine, ModelConnection, VaultStatus } from "../../../lib/api/generated";

/** Where a key is and what is to be done about it; never what it is. */
export function keyPlace(key: Pick<KeyLine, "state" | "where">): string {
  switch (key.state) {
    case "sealed":
      return `Sealed in ${key.where}.`;
    case "given":
      return `Given by ${key.where}; change it there.`;
    case "keychain":
      return `In ${key.where}, by an earlier version. Save it once more to seal it.`;
    case "missing":
      return "Not set.";
    case "locked":
      return "Sealed; it can be used once the keys are unlocked.";
  }
}

export const KINDS: readonly { id: KeyLine["kind"]; title: string }[] = [
  { id: "llm_provider", title: "A model's provider" },
  { id: "api_key", title: "Another service" },
  { id: "database", title: "A database" },
];

/** The connection by which a key can be tried. */
export const triedBy = (
  key: Pick<KeyLine, "name">,
  connections: readonly ModelConnection[],
): ModelConnection | undefined => connections.find((row) => row.connection.key === key.name);

export function wrongName(name: string): string {
  return /^[a-z][a-z0-9_]{0,31}$/.test(name.trim())
    ? ""
    : "A lower-case letter, then letters, digits and underscores; at most 32.";
}

/** How the keys stand, in a heading and a sentence. */
export function vaultText(vault: Pick<VaultStatus, "state" | "where" | "problem">): { title: string; about: string } {
  if (vault.state === "locked")
    return { title: "Locked", about: vault.problem || "No key can be used on this device until you unlock them." };
  if (vault.state === "none" && vault.problem) return { title: "Nothing is sealed yet", about: vault.problem };
  if (vault.state === "none")
    return {
      title: "Nothing is sealed yet",
      about: `The first key that you save is sealed. What will open it: ${vault.where}.`,
    };
  return { title: "Open", about: `Keys are sealed on disk. What opens them: ${vault.where}.` };
}
