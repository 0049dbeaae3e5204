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
import { comingDay } from "../../lib/format/dates";
import { Query } from "../../lib/query/query.svelte";
import { toasts } from "../../lib/state/toasts.svelte";
import type { Word } from "./words";
import { nextStep, summed } from "./words";

const CONCERNS = new Set(["message", "approval", "action", "lead", "task", "incident", "campaign", "config"]);

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
  readonly person: SessionPerson | null = $derived(this.view?.people[0] ?? null);
  /** The day on which this person comes back if they are skipped. */
  readonly back: string = $derived(
    this.view && this.person ? comingDay(this.person.skipped_until, this.view.now, this.view.utc_offset_ms) : "",
  );
  readonly next: readonly SessionPerson[] = $derived(this.view?.people.slice(1, 4) ?? []);

  constructor(readonly campaign: string) {
    super(() => sendSessionView(campaign), 150);
  }

  /** Follow the feed until the returned function is called, which lets the last answer take effect. */
  open(): () => void {
    const leave = this.follow(this.campaign, (event: FeedEvent) => CONCERNS.has(event.entity));
    return () => {
      leave();
      if (this.view?.last) void failureOf(() => sendSessionLeave(this.campaign)); // if not now, then with the next start
    };
  }

  /** What Enter does: the profile opened, the text taken, or both. A text is only copied once its intent is on disk. */
  async go(): Promise<void> {
    const person = this.person;
    if (person === null || this.busy || this.pasting) return;
    const step = nextStep(person.ask, this.opened === person.lead_id);
    await this.during(async () => {
      if (step.copies && !(await this.take(person))) return;
      if (step.opens) await this.show(person, step.copies);
    });
    if (step.copies) await this.load();
  }

  async say(word: Word, reply = ""): Promise<boolean> {
    const person = this.person;
    if (person === null || this.busy) return false;
    const { lead_id, ask, action_id } = person;
    const said = await this.during(() =>
      toasts.attempt(() => sendSessionAnswer(this.campaign, { lead_id, ask, action_id, word, reply })),
    );
    if (said) {
      this.said = [...this.said, word];
      this.pasting = false;
      this.opened = this.copied = "";
    }
    await this.load();
    return said;
  }

  /** Undo the last answer. */
  async takeBack(): Promise<void> {
    if (this.busy || this.view?.last == null) return;
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
