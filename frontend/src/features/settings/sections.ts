import type { Component } from "svelte";
import Agents from "./Agents.svelte";
import Appearance from "./Appearance.svelte";
import Browser from "./Browser.svelte";
import Connect from "./Connect.svelte";
import Data from "./Data.svelte";
import Diagnostics from "./Diagnostics.svelte";
import DoNotContact from "./DoNotContact.svelte";
import Drive from "./Drive.svelte";
import Keys from "./Keys.svelte";
import Models from "./Models.svelte";
import Privacy from "./Privacy.svelte";
import Skills from "./Skills.svelte";
import Sync from "./Sync.svelte";
import Voice from "./Voice.svelte";

/** The parts of Settings, in order; what is one campaign's own is set in its Setup. */
export const SECTIONS: readonly { id: string; title: string; shown: Component }[] = [
  { id: "models", title: "Models", shown: Models },
  { id: "keys", title: "Keys", shown: Keys },
  { id: "voice", title: "Voice", shown: Voice },
  { id: "skills", title: "Skills", shown: Skills },
  { id: "agents", title: "Agents", shown: Agents },
  { id: "connect", title: "Connect", shown: Connect },
  { id: "people", title: "Do not contact", shown: DoNotContact },
  { id: "drive", title: "LinkedIn Drive", shown: Drive },
  { id: "sync", title: "Sync & devices", shown: Sync },
  { id: "appearance", title: "Appearance", shown: Appearance },
  { id: "data", title: "Data folder", shown: Data },
  { id: "browser", title: "Browser", shown: Browser },
  { id: "privacy", title: "Privacy", shown: Privacy },
  { id: "diagnostics", title: "Diagnostics", shown: Diagnostics },
];
