import {
  sendQueueView,
  sendSessionAnswer,
  sendSessionHandOver,
  sendSessionLeave,
  sendSessionTakeBack,
} from "../../lib/api/calls";
import { failureOf } from "../../lib/api/errors";
import type { FeedEvent, SendQueueView, SessionPerson } from "../../lib/api/generated";
import { copyText, openLink } from "../../lib/desktop/system";
import { comingDay } from "../../lib/format/dates";
import { Query } from "../../lib/query/query.svelte";
import { toasts } from "../../lib/app/toasts.svelte";
import type { Settled, Word } from "./words";
import { DONE, nextStep, summed } from "./words";

const CONCERNS = new Set(["message", "approval", "action", "lead", "task", "incident", "campaign", "config"]);

/** By what a person is known in the queue, who may be in several campaigns. */
export const keyOf = (person: SessionPerson): string => `${person.campaign_id}/${person.lead_id}`;

/** The answers of a session that goes on, by this tab of the browser; as a window's storage can be refused, so may they be. */
const KEPT = "outrider.send";

function keptAnswers(): readonly Word[] {
  try {
    const kept = JSON.parse(sessionStorage.getItem(KEPT) ?? "[]") as unknown;
    return Array.isArray(kept) ? kept.filter((word): word is Word => word in DONE) : [];
  } catch {
    return [];
  }
}

function keepAnswers(answers: readonly Word[]): void {
  try {
    sessionStorage.setItem(KEPT, JSON.stringify(answers));
  } catch {
    // Then a page that is loaded anew counts from there.
  }
}

/** The queue of the user's hand: who is at the front, what was opened and copied for them, and what is said of each. */
export class SendDesk extends Query<SendQueueView> {
  /** For whom the profile was opened. */
  opened = $state("");
  /** For whom the text is on the clipboard. */
  copied = $state("");
  /** Whether a reply is being pasted. */
  pasting = $state(false);
  /** What was said since the session began, in order, also before the page was loaded anew. */
  private answers = $state.raw<readonly Word[]>(keptAnswers());
  /** Whom the user chose from the queue; else the first. */
  private chosen = $state("");
  /** Who was answered about here, until the queue is without them: one that was asked for before may come after the answer. */
  private answering = "";
  private readonly spoken = new Set<string>();
  readonly answered: number = $derived(this.answers.length);
  /** What came of the session so far, in words. */
  readonly summary: string = $derived(summed(this.answers));
  readonly people: readonly SessionPerson[] = $derived(this.view?.people ?? []);
  readonly later: readonly SessionPerson[] = $derived(this.view?.later ?? []);
  /** Whoever was at the front until it was settled elsewhere. Nobody takes their place unseen, or an answer would be about somebody else. */
  settled = $state.raw<Settled | null>(null);
  /** Also when the queue is ordered anew, it stays whom the user chose. Nobody is begun who better waits, unless chosen. */
  readonly person: SessionPerson | null = $derived(
    this.settled !== null ? null : [...this.people, ...this.later].find((person) => keyOf(person) === this.chosen) ?? this.people[0] ?? null,
  );
  /** The day on which this person comes back if they are skipped. */
  readonly back: string = $derived(
    this.view && this.person ? comingDay(this.person.skipped_until, this.view.now, this.view.utc_offsets) : "",
  );

  /** `only`: the queue of one campaign; null: of all. */
  constructor(readonly only: string | null) {
    super(() => sendQueueView({ campaign: only }), 150);
  }

  /** Follow the feed until the returned function is called, which lets the last answers take effect. */
  open(): () => void {
    const leave = this.follow(this.only, (event: FeedEvent) => CONCERNS.has(event.entity));
    return () => {
      leave();
      keepAnswers([]);
      if (this.view?.last) this.spoken.add(this.view.last.campaign_id);
      for (const campaign of this.spoken) void failureOf(() => sendSessionLeave(campaign)); // if not now, then with the next start
    };
  }

  /** Choose somebody from the queue. */
  choose(person: SessionPerson): void {
    if (this.pasting) return;
    this.settled = null;
    this.chosen = keyOf(person);
  }

  /** Go on with whoever comes first now. */
  goOn(): void {
    this.settled = null;
  }

  /** Choose the next one, or the one before. */
  move(by: 1 | -1): void {
    const all = [...this.people, ...this.later];
    const at = this.person === null ? -1 : all.indexOf(this.person);
    const to = all[Math.min(Math.max(at + by, 0), all.length - 1)];
    if (to !== undefined) this.choose(to);
  }

  /** What Enter does: the profile opened, the text taken, or both. A text is only copied once its intent is on disk. */
  async go(): Promise<void> {
    const person = this.person;
    if (person === null || this.busy || this.pasting) return;
    const step = nextStep(person.ask, this.opened === keyOf(person), person.text, person.held);
    this.chosen = keyOf(person);
    await this.during(async () => {
      if (step.takes && !(await this.take(person))) return;
      if (step.opens) await this.show(person, step.takes && person.text !== "");
    });
    if (step.takes) await this.load();
  }

  async say(word: Word, reply = ""): Promise<boolean> {
    const person = this.person;
    if (person === null || this.busy) return false;
    const { campaign_id, lead_id, ask, action_id } = person;
    const following = this.people[this.people.indexOf(person) + 1];
    this.answering = keyOf(person);
    const recorded = await this.during(() =>
      toasts.attempt(() => sendSessionAnswer(campaign_id, { lead_id, ask, action_id, word, reply })),
    );
    if (recorded) {
      this.spoken.add(campaign_id);
      keepAnswers((this.answers = [...this.answers, word]));
      this.pasting = false;
      this.opened = this.copied = "";
      this.chosen = following === undefined ? "" : keyOf(following);
    } else this.answering = "";
    await this.load();
    return recorded;
  }

  /** Whoever is at the front and waits no more was settled elsewhere, unless they are being answered here. */
  protected override received(view: SendQueueView): SendQueueView {
    const front = this.person;
    const waiting = new Set([...view.people, ...view.later].map(keyOf));
    const wasAnswered = front !== null && keyOf(front) === this.answering;
    if (!waiting.has(this.answering)) this.answering = "";
    if (front === null || wasAnswered || waiting.has(keyOf(front))) return view;
    const isLast = view.last?.campaign_id === front.campaign_id && view.last.lead_id === front.lead_id;
    this.settled = { name: front.name, word: isLast ? (view.last?.word ?? null) : null };
    this.pasting = false;
    this.opened = this.copied = this.chosen = "";
    return view;
  }

  /** Undo the last answer. */
  async takeBack(): Promise<void> {
    const last = this.view?.last;
    if (this.busy || last == null) return;
    if (await this.during(() => toasts.attempt(() => sendSessionTakeBack(last.campaign_id)))) {
      this.answering = "";
      keepAnswers((this.answers = this.answers.slice(0, -1)));
      this.chosen = `${last.campaign_id}/${last.lead_id}`;
    }
    await this.load();
  }

  /** Open the profile. Without a browser to open it in, its address goes on the clipboard, unless the text is there. */
  private async show(person: SessionPerson, textCopied: boolean): Promise<void> {
    const shown = await toasts.attempt(() => openLink(person.profile_url));
    if (!shown && !textCopied && (await failureOf(() => copyText(person.profile_url))) === null)
      toasts.info("Profile address copied. Open it yourself.");
    this.opened = keyOf(person);
  }

  private async take(person: SessionPerson): Promise<boolean> {
    const no_reply = person.ask === "write";
    const despite = person.advice.map((advice) => advice.code);
    const asked = { lead_id: person.lead_id, action_id: person.action_id, digest: person.digest, no_reply, despite };
    return toasts.attempt(async () => {
      const handed = await sendSessionHandOver(person.campaign_id, asked);
      this.copied = "";
      if (handed.text === "") return; // an invitation without a note
      await copyText(handed.text);
      this.copied = keyOf(person);
    });
  }
}
