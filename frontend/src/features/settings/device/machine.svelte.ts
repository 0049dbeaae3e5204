import { settingsView } from "../../../lib/api/calls";
import type { SettingsView } from "../../../lib/api/generated";
import { Query } from "../../../lib/query/query.svelte";

/** What Settings shows of this machine, read when it is shown. */
export class MachineQuery extends Query<SettingsView> {
  constructor() {
    super(settingsView);
    void this.load();
  }
}
