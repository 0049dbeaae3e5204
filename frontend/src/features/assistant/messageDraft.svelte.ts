import { SvelteMap } from "svelte/reactivity";
import { count } from "../../lib/format/numbers";
import { unsaved } from "../../lib/app/unsavedWork";
import { assistantAsk } from "../../lib/api/calls";
import { failureOf, RequestFailed } from "../../lib/api/errors";
import { uploadFile } from "../../lib/desktop/files";
import type { ErrorShape, Offered, PlainCommand } from "../../lib/api/generated";
import { commandOf, content, freeName, MOST_ATTACHED, MOST_TEXT, tryWith } from "./message";
import type { Attachment, Tried } from "./message";

const UNKNOWN_TICKET = "file_ticket_unknown";

/** A message that is being written. It outlives the panel: another screen, a closed panel or a lost connection loses nothing of it. */
export class MessageDraft {
  text = $state("");
  attached = $state.raw<readonly Attachment[]>([]);
  sending = $state(false);
  error = $state.raw<ErrorShape | null>(null);
  private tried: Tried | null = null;
  private next = 1;

  constructor(private readonly campaign: string) {}

  /** What was typed as an answer and not given yet, by question. */
  readonly answers = new SvelteMap<string, string>();

  answer(question: string, text: string): void {
    if (text === "") this.answers.delete(question);
    else this.answers.set(question, text);
  }

  // No $derived: it would belong to the panel that asked first, and stand still once that was closed.
  get ready(): boolean {
    return !this.sending && this.text.trim() !== "" && !this.attached.some((attachment) => attachment.gone);
  }

  /** What the message is understood as if it is a command; shown before it is sent. */
  get command(): PlainCommand | null {
    return commandOf(this.text, this.attached.length);
  }

  held(): boolean {
    return (
      this.text.trim() !== "" || this.attached.length > 0 || [...this.answers.values()].some((answer) => answer.trim() !== "")
    );
  }

  async attachText(text: string): Promise<void> {
    const size = new TextEncoder().encode(text).length;
    await this.guarded(async () => this.attach({ name: "pasted text", size, text, ticket: "", file: null }));
  }

  /** Attach what the user chose, dropped or pasted, as far as there is room. */
  async attachFiles(files: Iterable<File>): Promise<void> {
    for (const file of files) await this.attachOffered(() => uploadFile(file), file);
  }

  async attachOffered(offered: () => Promise<Offered | null>, file: File | null = null): Promise<void> {
    await this.guarded(async () => {
      const offer = await offered();
      if (offer) this.attach({ name: offer.name, size: offer.size, text: null, ticket: offer.ticket, file });
    });
  }

  detach(id: number): void {
    this.attached = this.attached.filter((attachment) => attachment.id !== id);
    this.error = null;
  }

  clear(): void {
    this.text = "";
    this.attached = [];
    this.tried = this.error = null;
  }

  /** Whether it was taken; otherwise everything is as it was, and `error` says why. */
  async send(): Promise<boolean> {
    if (!this.ready) return false;
    if (this.text.length > MOST_TEXT) {
      this.error = {
        code: "message_too_long",
        sentence: `The message has ${count(this.text.length)} characters; the limit is ${count(MOST_TEXT)}.`,
        remedy: "Shorten it, or attach the long part as a file.",
      };
      return false;
    }
    this.sending = true;
    let sent = await this.post();
    if (this.error?.code === UNKNOWN_TICKET && (await this.handOverAgain())) sent = await this.post();
    this.sending = false;
    if (sent) this.clear();
    return sent;
  }

  private async post(): Promise<boolean> {
    this.tried = tryWith(this.tried, this.text, this.attached, () => crypto.randomUUID());
    const { key } = this.tried;
    const { command } = this;
    return this.guarded(() => assistantAsk(this.campaign, { ...content(this.text, this.attached), key, command }));
  }

  /** Tickets are of one launch only: a file that the page still has gets a new one. Whether all have one. */
  private async handOverAgain(): Promise<boolean> {
    return this.guarded(async () => {
      this.attached = await Promise.all(
        this.attached.map(async (attachment) => {
          if (attachment.text !== null) return attachment;
          return attachment.file ? { ...attachment, ticket: (await uploadFile(attachment.file)).ticket } : { ...attachment, gone: true };
        }),
      );
      if (this.attached.some((attachment) => attachment.gone)) throw new RequestFailed(GONE, 0);
    });
  }

  private attach(attachment: Omit<Attachment, "id" | "gone">): void {
    if (this.attached.length >= MOST_ATTACHED) throw new RequestFailed(ENOUGH, 0);
    const name =
      attachment.text === null
        ? attachment.name
        : freeName(
            attachment.name,
            this.attached.map((other) => other.name),
          );
    this.attached = [...this.attached, { ...attachment, name, id: this.next++, gone: false }];
    this.error = null;
  }

  private async guarded(what: () => Promise<unknown>): Promise<boolean> {
    this.error = null;
    this.error = await failureOf(what);
    return this.error === null;
  }
}

const ENOUGH: ErrorShape = {
  code: "attachments_full",
  sentence: `A message can have up to ${MOST_ATTACHED} attachments.`,
  remedy: "Send these first, or remove one.",
};
const GONE: ErrorShape = {
  code: UNKNOWN_TICKET,
  sentence: "Outrider restarted and no longer has one of the files.",
  remedy: "Remove the marked file and choose it again. Your message is kept.",
};

/** Messages that are being written, one a campaign. */
class MessageDrafts {
  private readonly all = new Map<string, MessageDraft>();

  constructor() {
    unsaved.watch(() => [...this.all.values()].some((draft) => draft.held()));
  }

  of(campaign: string): MessageDraft {
    const draft = this.all.get(campaign) ?? new MessageDraft(campaign);
    this.all.set(campaign, draft);
    return draft;
  }
}

export const messageDrafts = new MessageDrafts();
