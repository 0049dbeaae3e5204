import { leadFiles } from "../wire/calls/leads";
import { RequestFailed } from "../wire/client";
import type { ChosenLeads, ErrorShape, ImportPreview, Offered } from "../wire/generated";
import { mappingOf, readAs } from "./leadFile";

/** A lead file that is being chosen: looked at, and its columns named, before anything of it is imported. */
export class LeadFile {
  preview = $state.raw<ImportPreview | null>(null);
  error = $state.raw<ErrorShape | null>(null);
  busy = $state(false);
  private ticket = "";

  /** Which file it is; empty for none. */
  get id(): string {
    return this.preview === null ? "" : this.ticket;
  }

  /** The file as it is to be read: as its format says, or by the columns that are shown. Null while it cannot be read. */
  get chosen(): ChosenLeads | null {
    if (!this.preview?.usable) return null;
    return { ticket: this.ticket, mapping: this.preview.format === "mapped" ? mappingOf(this.preview.columns) : null };
  }

  /** A file is chosen, dropped or uploaded; null when the user did not. */
  take(file: () => Promise<Offered | null>): Promise<void> {
    return this.attempt(async () => {
      const offered = await file();
      if (offered !== null) await this.look({ ticket: offered.ticket, mapping: null });
    });
  }

  read(column: string, field: string): Promise<void> {
    const mapping = readAs(mappingOf(this.preview?.columns ?? []), column, field);
    return this.attempt(() => this.look({ ticket: this.ticket, mapping }));
  }

  drop(): void {
    this.preview = this.error = null;
    this.ticket = "";
  }

  private async look(as: ChosenLeads): Promise<void> {
    const looked = await leadFiles.preview(as);
    this.ticket = as.ticket;
    this.preview = looked;
  }

  private async attempt(what: () => Promise<void>): Promise<void> {
    this.busy = true;
    this.error = null;
    try {
      await what();
    } catch (failed) {
      if (!(failed instanceof RequestFailed)) throw failed;
      this.error = failed.shape;
    } finally {
      this.busy = false;
    }
  }
}
