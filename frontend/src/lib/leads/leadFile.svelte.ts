import { leadFilesPreview } from "../api/calls";
import { failureOf } from "../api/errors";
import type { ChosenLeads, ImportPreview, LeadFilter, Offered } from "../api/generated";
import { Action } from "../query/action.svelte";
import { Refresher } from "../query/refresher";
import { EVERYBODY, mappingOf, readAs } from "./leadFile";

/** The file that was imported last into a campaign since the page was loaded, by the campaign: an import that was cut off goes on with it. */
export const lastImported = new Map<string, { file: string; chosen: ChosenLeads }>();

/** What is kept of a chosen file while nothing of it is imported: how it is to be read, and nobody of it. */
export interface KeptFile extends ChosenLeads {
  name: string;
}

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
  /** The sheet of a workbook that the user named; empty while it is the first with people. */
  private sheet = "";
  /** Whom of its people the campaign takes. */
  filter = $state.raw<LeadFilter>(EVERYBODY);
  /** The file that was chosen before and is not open: it is to be chosen again, unless it is being opened. */
  lost = $state.raw<KeptFile | null>(null);
  /** Counts what was asked of the file: only the last answer is shown. */
  private asked = 0;
  private readonly filterer = new Refresher(() => this.lookAgain(), 150);

  /** Which people of which file they are; empty for none. */
  get id(): string {
    return this.preview === null ? "" : JSON.stringify([this.ticket, this.filter]);
  }

  /** The file as it is to be read: as its format says, or by the columns that are shown. Null while it cannot be read. */
  get chosen(): ChosenLeads | null {
    if (!this.preview?.usable) return null;
    const mapping = this.preview.format === "mapped" ? mappingOf(this.preview.columns) : null;
    return { ticket: this.ticket, mapping, encoding: this.encoding, sheet: this.sheet, filter: this.filter, write_again: this.writeAgain };
  }

  /** What is to be kept of it; null while there is no file. */
  get kept(): KeptFile | null {
    const { preview, chosen, ticket, encoding, sheet, filter, writeAgain, lost } = this;
    if (preview === null) return lost === null ? null : { ...lost, filter, write_again: writeAgain };
    return { name: preview.file, ...(chosen ?? { ticket, mapping: null, encoding, sheet, filter, write_again: writeAgain }) };
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
      if (offered === null) return;
      const settings = this.lost?.name === offered.name ? this.lost : { mapping: null, encoding: null, sheet: "" };
      await this.look({ ...settings, ticket: offered.ticket });
    });
    this.stays = !taken && this.preview !== null;
    return taken;
  }

  /** Go on with a file as it was kept; one that cannot be opened any more is to be chosen again. */
  async restore(file: KeptFile): Promise<void> {
    this.filter = file.filter;
    this.writeAgain = file.write_again;
    this.lost = file;
    await this.run(() => this.look(file));
    if (this.error?.code === "file_ticket_unknown") this.error = null; // it is told where a file is chosen
  }

  /** It cannot be opened any more, as after a restart: it is to be chosen again, and then read as it was. */
  lose(): void {
    this.lost = this.kept;
    this.preview = null;
  }

  /** Write to people with whom the user was in touch before, or leave them aside. */
  async writeToThemAgain(again: boolean): Promise<void> {
    const { chosen } = this;
    this.writeAgain = again;
    if (chosen !== null) await this.run(() => this.look(chosen));
  }

  read(column: string, field: string): Promise<boolean> {
    const mapping = readAs(mappingOf(this.preview?.columns ?? []), column, field);
    return this.run(() => this.look({ ticket: this.ticket, mapping, encoding: this.encoding, sheet: this.sheet }));
  }

  /** Read it in another encoding than it was guessed to have. */
  decode(encoding: string): Promise<boolean> {
    const mapping = this.preview?.format === "mapped" ? mappingOf(this.preview.columns) : null;
    return this.run(() => this.look({ ticket: this.ticket, mapping, encoding, sheet: this.sheet }));
  }

  /** Read another sheet of the workbook; its columns are guessed anew. */
  turnTo(sheet: string): Promise<boolean> {
    return this.run(() => this.look({ ticket: this.ticket, mapping: null, encoding: this.encoding, sheet }));
  }

  /** Take only some of its people; who they are is shown soon. */
  takeOnly(changed: Partial<LeadFilter>): void {
    this.filter = { ...this.filter, ...changed };
    this.filterer.ask();
  }

  drop(): void {
    this.asked += 1;
    this.filter = EVERYBODY;
    this.preview = this.error = this.lost = null;
    this.ticket = "";
    this.encoding = null;
    this.sheet = "";
    this.writeAgain = this.stays = false;
  }

  /** What the filter takes, while the rest of the form stays usable. */
  private async lookAgain(): Promise<void> {
    const { chosen } = this;
    if (chosen === null || this.busy) return; // what is under way asks with the filter as it is
    this.error = await failureOf(() => this.look(chosen));
  }

  private async look(chosenFile: Omit<ChosenLeads, "filter" | "write_again">): Promise<void> {
    this.asked += 1;
    const requestNumber = this.asked;
    const { ticket, mapping, encoding } = chosenFile;
    const sheet = chosenFile.sheet ?? ""; // a draft that was kept before sheets could be chosen has none
    const { filter, writeAgain } = this;
    const looked = await leadFilesPreview({ ticket, mapping, encoding, sheet, filter, write_again: writeAgain, campaign_id: this.campaign });
    if (requestNumber !== this.asked) return;
    this.stays = false;
    this.lost = null;
    this.ticket = chosenFile.ticket;
    this.encoding = chosenFile.encoding;
    this.sheet = sheet;
    this.preview = looked;
  }
}
