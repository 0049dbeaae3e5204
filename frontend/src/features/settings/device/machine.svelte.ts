import { settingsView } from "../../../lib/api/calls";
import type { SettingsView } from "../../../lib/api/generated";
import { WORKSPACE } from "../../../lib/live/follow";
import { Query } from "../../../lib/query/query.svelte";

/** What Settings shows of this machine, read when it is shown, and anew when everything is. */
export class MachineQuery extends Query<SettingsView> {
  constructor() {
    super(settingsView);
    $effect(() => this.follow(WORKSPACE, () => false));
  }
}
