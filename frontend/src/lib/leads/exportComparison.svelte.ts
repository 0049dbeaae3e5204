import { reconciliationCompare } from "../api/calls";
import { failureOf } from "../api/errors";
import type { ErrorShape, Reconciliation } from "../api/generated";
import { pickFile } from "../desktop/files";

/** LinkedIn's export, compared with what is on record; what came of it stays until it is dismissed. */
class ExportComparison {
  busy = $state(false);
  result = $state.raw<Reconciliation | null>(null);
  error = $state.raw<ErrorShape | null>(null);

  /** Let the user choose the export, and compare it. */
  async choose(): Promise<void> {
    if (this.busy) return;
    this.busy = true;
    this.error = await failureOf(async () => {
      const chosen = await pickFile("leads");
      if (chosen !== null) this.result = await reconciliationCompare({ ticket: chosen.ticket });
    });
    this.busy = false;
  }

  dismiss(): void {
    this.result = null;
    this.error = null;
  }
}

export const exportComparison = new ExportComparison();
