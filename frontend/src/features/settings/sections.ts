import type { Component } from "svelte";
import type { Command } from "../../lib/commands/shortcuts";
import { router } from "../../lib/navigation/route.svelte";
import Agents from "./agents/Agents.svelte";
import Appearance from "./device/Appearance.svelte";
import Browser from "./device/Browser.svelte";
import Connect from "./device/Connect.svelte";
import Data from "./device/Data.svelte";
import Diagnostics from "./device/Diagnostics.svelte";
import DoNotContact from "./doNotContact/DoNotContact.svelte";
import Drive from "./device/Drive.svelte";
import Keys from "./keys/Keys.svelte";
import Models from "./device/Models.svelte";
import Notifications from "./device/Notifications.svelte";
import Privacy from "./device/Privacy.svelte";
import Skills from "./voice/Skills.svelte";
import Sync from "./sync/Sync.svelte";
import Voice from "./voice/Voice.svelte";

export interface Section {
  id: string;
  title: string;
  /** Other words by which Ctrl+K finds it. */
  words: string;
  shown: Component;
}

/** Settings in three parts, in their order; what is one campaign's own is set in its Setup. */
export const PARTS: readonly { title: string; sections: readonly Section[] }[] = [
  {
    title: "You and your account",
    sections: [
      { id: "appearance", title: "Appearance", words: "theme dark light zoom size text motion keyboard shortcuts keys letters", shown: Appearance },
      { id: "notifications", title: "Notifications", words: "notices badge title number lock screen names reply alert", shown: Notifications },
      { id: "people", title: "Do not contact", words: "block list unsubscribe forbid", shown: DoNotContact },
      { id: "drive", title: "LinkedIn Drive", words: "consent", shown: Drive },
      { id: "browser", title: "Browser", words: "chrome chromium edge profile", shown: Browser },
      { id: "sync", title: "Sync & devices", words: "supabase project account sign", shown: Sync },
      { id: "data", title: "Data folder", words: "backup restore presence away folder", shown: Data },
      { id: "privacy", title: "Privacy", words: "outgoing network calls", shown: Privacy },
    ],
  },
  {
    title: "All campaigns",
    sections: [
      { id: "models", title: "Models", words: "ai openai anthropic claude gpt provider connection", shown: Models },
      { id: "keys", title: "Keys", words: "api vault passphrase password secret", shown: Keys },
      { id: "voice", title: "Voice", words: "soul tone writing style", shown: Voice },
      { id: "skills", title: "Skills", words: "install", shown: Skills },
    ],
  },
  {
    title: "Advanced",
    sections: [
      { id: "agents", title: "Agents", words: "", shown: Agents },
      { id: "connect", title: "Connect", words: "mcp claude cursor program", shown: Connect },
      { id: "diagnostics", title: "Diagnostics", words: "doctor versions report health", shown: Diagnostics },
    ],
  },
];

export const SECTIONS: readonly Section[] = PARTS.flatMap((part) => part.sections);

/** How the palette leads to each of them. */
export const sectionCommands = (): Command[] =>
  SECTIONS.map((section) => ({
    id: `settings-${section.id}`,
    title: section.title,
    group: "Settings",
    words: section.words,
    run: () => router.go(`#/settings/${section.id}`),
  }));
