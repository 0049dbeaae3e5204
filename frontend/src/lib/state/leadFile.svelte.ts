import { leadFilesPreview } from "../api/calls";
import type { ChosenLeads, ImportPreview, Offered } from "../api/generated";
import { Action } from "../query/action.svelte";
import { mappingOf, readAs } from "./leadFile";

/** The file that was imported last into a campaign since the page was loaded, by the campaign: an import that was cut off goes on with it. */
export const lastImported = new Map<string, { file: string; chosen: ChosenLeads }>();

/** A lead file that is being chosen: looked at, and its columns named, before anything of it is imported. */
export class LeadFile extends Action {
  preview = $state.raw<ImportPreview | null>(null);
  private ticket = "";
  /** Whether people with whom the user was in touch before are written to like everybody else. */
  writeAgain = $state(false);
  /** Another file was chosen after this one and could not be read: this one still counts. */
  stays = $state(false);
  /** The encoding that the user named; null while it is guessed. */
  private encoding: string | null = null;

  /** Which file it is; empty for none. */
  get id(): string {
    return this.preview === null ? "" : this.ticket;
  }

  /** The file as it is to be read: as its format says, or by the columns that are shown. Null while it cannot be read. */
  get chosen(): ChosenLeads | null {
    if (!this.preview?.usable) return null;
    const mapping = this.preview.format === "mapped" ? mappingOf(this.preview.columns) : null;
    return { ticket: this.ticket, mapping, encoding: this.encoding, write_again: this.writeAgain };
  }

  /** `campaign`: the one that it is for; empty for one that is to be made. */
  constructor(private readonly campaign = "") {
    super();
  }

  /** A file is chosen, dropped or uploaded; null when the user did not. */
  async take(file: () => Promise<Offered | null>): Promise<boolean> {
    this.stays = false;
    const taken = await this.run(async () => {
      const offered = await file();
      if (offered !== null) await this.look({ ticket: offered.ticket, mapping: null, encoding: null });
    });
    this.stays = !taken && this.preview !== null;
    return taken;
  }

  /** Write to people with whom the user was in touch before, or leave them aside. */
  async writeToThemAgain(wanted: boolean): Promise<void> {
    const { chosen } = this;
    this.writeAgain = wanted;
    if (chosen !== null) await this.run(() => this.look(chosen));
  }

  read(column: string, field: string): Promise<boolean> {
    const mapping = readAs(mappingOf(this.preview?.columns ?? []), column, field);
    return this.run(() => this.look({ ticket: this.ticket, mapping, encoding: this.encoding }));
  }

  /** Read it in another encoding than it was guessed to have. */
  decode(encoding: string): Promise<boolean> {
    const mapping = this.preview?.format === "mapped" ? mappingOf(this.preview.columns) : null;
    return this.run(() => this.look({ ticket: this.ticket, mapping, encoding }));
  }

  drop(): void {
    this.preview = this.error = null;
    this.ticket = "";
    this.encoding = null;
    this.writeAgain = this.stays = false;
  }

  private async look(as: Omit<ChosenLeads, "write_again">): Promise<void> {
    const looked = await leadFilesPreview({ ...as, write_again: this.writeAgain, campaign_id: this.campaign });
    this.stays = false;
    this.ticket = as.ticket;
    this.encoding = as.encoding;
    this.preview = looked;
  }
}
