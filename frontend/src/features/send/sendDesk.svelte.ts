import {
  sendSessionAnswer,
  sendSessionHandOver,
  sendSessionLeave,
  sendSessionTakeBack,
  sendSessionView,
} from "../../lib/api/calls";
import { failureOf } from "../../lib/api/errors";
import type { FeedEvent, SendSessionView, SessionPerson } from "../../lib/api/generated";
import { copyText, openLink } from "../../lib/desktop/system";
import { Query } from "../../lib/query/query.svelte";
import { toasts } from "../../lib/state/toasts.svelte";
import type { Word } from "./words";
import { nextStep, summed } from "./words";

const CONCERNS = new Set(["message", "approval", "action", "lead", "task", "incident", "campaign", "config"]);

/** How long a reported reply can be undone, in ms. It takes effect at once where it is recorded, so it is sent only then. */
export const UNDO_REPLY = 10_000;

interface UnsentReply {
  person: SessionPerson;
  reply: string;
}

/** The people of the day, one after the other: what was opened and copied for the first of them, and what is said of each. */
export class SendDesk extends Query<SendSessionView> {
  /** For whom the profile was opened. */
  opened = $state("");
  /** For whom the text is on the clipboard. */
  copied = $state("");
  /** Whether a reply is being pasted. */
  pasting = $state(false);
  /** What was said since the session began, in order. */
  private said = $state.raw<readonly Word[]>([]);
  readonly answered: number = $derived(this.said.length);
  /** What came of the session so far, in words. */
  readonly summary: string = $derived(summed(this.said));
  /** The reply that was reported last and not sent yet: until the next act, or for `UNDO_REPLY`. */
  private unsent = $state.raw<UnsentReply | null>(null);
  private sending: Promise<void> | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;
  readonly people: readonly SessionPerson[] = $derived(
    this.view?.people.filter((one) => one.lead_id !== this.unsent?.person.lead_id) ?? [],
  );
  readonly person: SessionPerson | null = $derived(this.people[0] ?? null);
  readonly next: readonly SessionPerson[] = $derived(this.people.slice(1, 4));
  /** The answer that can be undone. */
  readonly last: { name: string; word: Word } | null = $derived(
    this.unsent === null ? (this.view?.last ?? null) : { name: this.unsent.person.name, word: "replied" },
  );

  constructor(readonly campaign: string) {
    super(() => sendSessionView(campaign), 150);
  }

  /** Follow the feed until the returned function is called, which lets the last answer take effect. */
  open(): () => void {
    const leave = this.follow(this.campaign, (event: FeedEvent) => CONCERNS.has(event.entity));
    return () => {
      leave();
      const waits = this.view?.last != null;
      void this.sendReply().then(() => {
        if (waits) void failureOf(() => sendSessionLeave(this.campaign)); // if not now, then with the next start
      });
    };
  }

  /** What Enter does: the profile opened, the text taken, or both. A text is only copied once its intent is on disk. */
  async go(): Promise<void> {
    const person = this.person;
    if (person === null || this.busy || this.pasting) return;
    const step = nextStep(person.ask, this.opened === person.lead_id);
    await this.sendReply();
    await this.during(async () => {
      if (step.copies && !(await this.take(person))) return;
      if (step.opens) await this.show(person, step.copies);
    });
    if (step.copies) await this.load();
  }

  async say(word: Word, reply = ""): Promise<boolean> {
    const person = this.person;
    if (person === null || this.busy) return false;
    await this.sendReply();
    if (word === "replied") {
      this.unsent = { person, reply };
      this.timer = setTimeout(() => void this.sendReply(), UNDO_REPLY);
    } else if (!(await this.during(() => this.answer(person, word, reply)))) {
      await this.load();
      return false;
    }
    this.said = [...this.said, word];
    this.pasting = false;
    this.opened = this.copied = "";
    if (this.unsent === null) await this.load();
    return true;
  }

  private answer({ lead_id, ask, action_id }: SessionPerson, word: Word, reply: string): Promise<boolean> {
    return toasts.attempt(() => sendSessionAnswer(this.campaign, { lead_id, ask, action_id, word, reply }));
  }

  /** A reply that was reported takes effect now, and cannot be undone any more. */
  sendReply(): Promise<void> {
    if (this.unsent === null) return Promise.resolve();
    clearTimeout(this.timer);
    this.sending ??= this.send(this.unsent).finally(() => (this.sending = null));
    return this.sending;
  }

  private async send({ person, reply }: UnsentReply): Promise<void> {
    if (!(await this.answer(person, "replied", reply))) {
      const wrong = this.said.lastIndexOf("replied");
      this.said = this.said.filter((_, at) => at !== wrong);
    }
    await this.load();
    this.unsent = null;
  }

  /** Undo the last answer. */
  async takeBack(): Promise<void> {
    if (this.busy || this.sending !== null || this.last === null) return;
    if (this.unsent !== null) {
      clearTimeout(this.timer);
      this.unsent = null;
      this.said = this.said.slice(0, -1);
      return;
    }
    if (await this.during(() => toasts.attempt(() => sendSessionTakeBack(this.campaign)))) this.said = this.said.slice(0, -1);
    await this.load();
  }

  /** Open the profile. Without a browser to open it in, its address goes on the clipboard, unless the text is there. */
  private async show(person: SessionPerson, textCopied: boolean): Promise<void> {
    const shown = await toasts.attempt(() => openLink(person.profile_url));
    if (!shown && !textCopied && (await failureOf(() => copyText(person.profile_url))) === null)
      toasts.info("Profile address copied. Open it yourself.");
    this.opened = person.lead_id;
  }

  private async take(person: SessionPerson): Promise<boolean> {
    const no_reply = person.ask === "write";
    const asked = { lead_id: person.lead_id, digest: person.digest, no_reply };
    return toasts.attempt(async () => {
      const handed = await sendSessionHandOver(this.campaign, asked);
      this.copied = "";
      if (handed.text === "") return; // an invitation without a note
      await copyText(handed.text);
      this.copied = person.lead_id;
    });
  }
}
