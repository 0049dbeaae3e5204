import { settings } from "../wire/calls/settings";
import { RequestFailed } from "../wire/client";
import type { ErrorShape, SettingsView } from "../wire/generated";

/** What Settings shows of this machine, read when it is shown. */
export class MachineFacts {
  view = $state.raw<SettingsView | null>(null);
  error = $state.raw<ErrorShape | null>(null);

  constructor() {
    void this.load();
  }

  async load(): Promise<void> {
    try {
      this.view = await settings.view();
      this.error = null;
    } catch (error) {
      if (!(error instanceof RequestFailed)) throw error;
      this.error = error.shape;
    }
  }
}
