import { settings } from "../wire/calls/settings";
import type { SettingsView } from "../wire/generated";
import { Loaded } from "./loaded.svelte";

/** What Settings shows of this machine, read when it is shown. */
export class MachineFacts extends Loaded<SettingsView> {
  constructor() {
    super(settings.view);
    void this.load();
  }
}
