import type { SessionPerson } from "../../lib/api/generated";
import { reveal } from "../../lib/format/hiddenCharacters";

export type Word = SessionPerson["words"][number];
export type Ask = SessionPerson["ask"];

/** An answer as it is offered: its key, its name, and what follows from it. */
export interface Offer {
  word: Word;
  key: string;
  title: string;
  about: string;
}

const OFFERS: Record<Word, Omit<Offer, "word">> = {
  sent: { key: "s", title: "Sent", about: "exactly this message" },
  not_sent: { key: "n", title: "Not sent", about: "comes back after an hour" },
  no_reply: { key: "n", title: "No reply", about: "the sequence continues" },
  replied: { key: "r", title: "Already replied", about: "paste the reply; the sequence stops" },
  already_sent: { key: "s", title: "Already sent", about: "it is there already" },
  connected: { key: "c", title: "Already connected", about: "no invitation; the message comes next" },
  not_connected: { key: "x", title: "Not connected", about: "the sequence stops" },
  withdrawn: { key: "t", title: "Withdrawn", about: "nothing more is sent to them" },
  wrong_person: { key: "w", title: "Wrong person", about: "the sequence stops" },
  skip: { key: "h", title: "Skip today", about: "" },
};

/** What is meant by the same words where the question is whether they accepted. */
const ACCEPTED: Partial<Record<Word, Omit<Offer, "word">>> = {
  connected: { key: "c", title: "They accepted", about: "the message comes next" },
  not_connected: { key: "n", title: "Not yet", about: "asked again in a few days" },
};

/** What is meant by the same words where the question is whether somebody who was not invited is a contact. */
const CONNECTED: Partial<Record<Word, Omit<Offer, "word">>> = {
  connected: { key: "c", title: "Connected", about: "the sequence continues as for a connection" },
  not_connected: { key: "n", title: "Not connected", about: "the sequence continues as for someone new" },
};

/** The same where somebody is to be invited. */
const INVITE: Partial<Record<Word, Omit<Offer, "word">>> = {
  already_sent: { key: "s", title: "Already invited", about: "it is pending; the sequence continues" },
};

/** The same where an old invitation is to be taken back. */
const WITHDRAW: Partial<Record<Word, Omit<Offer, "word">>> = {
  connected: { key: "c", title: "They accepted", about: "the invitation stays" },
};

const ASKED: Partial<Record<Ask, typeof ACCEPTED>> = { accepted: ACCEPTED, connected: CONNECTED, invite: INVITE, withdraw: WITHDRAW };

/** The answers to what is asked, in their order; no two have the same key. `back`: the day on which who is skipped comes back; `held`: why nothing may be sent. */
export function offers(ask: Ask, words: readonly Word[], back: string, text = " ", held = ""): Offer[] {
  const abouts: Partial<Record<Word, string>> = {
    skip: `comes back ${back}`,
    ...(text === "" ? { sent: "without a note" } : {}),
    ...(held === "" ? {} : { not_sent: "nothing goes to them for now" }),
  };
  return words.map((word) => {
    const offer = { word, ...(ASKED[ask]?.[word] ?? OFFERS[word]) };
    return { ...offer, about: abouts[word] ?? offer.about };
  });
}

/** What was reported of a person. */
export const DONE: Record<Word, string> = {
  sent: "sent",
  not_sent: "not sent",
  replied: "already replied",
  already_sent: "already sent",
  no_reply: "without a reply",
  connected: "connected",
  not_connected: "not connected",
  wrong_person: "wrong person",
  withdrawn: "withdrawn",
  skip: "skipped",
};

/** Somebody about whom nothing more is asked; `word`: what was reported of them in another window or on another device, if that is why. */
export interface Settled {
  name: string;
  word: Word | null;
}

export const settledWords = ({ name, word }: Settled): string =>
  word === null ? `${reveal(name)} is not waiting any more` : `Reported elsewhere: ${reveal(name)}, ${DONE[word]}`;

/** "2 sent · 1 skipped": what was said in a session, each word once, in the order of the answers. */
export const summed = (answers: readonly Word[]): string =>
  (Object.keys(DONE) as Word[])
    .map((word) => [answers.filter((other) => other === word).length, DONE[word]] as const)
    .filter(([times]) => times > 0)
    .map(([times, what]) => `${times} ${what}`)
    .join(" · ");

/**
 * What Enter does next; `opened`: the profile was opened for this person, `text`: "" for an invitation without a note, `held`: why it
 * must not be copied once more. `takes`: the text, which is on the clipboard then, if there is one.
 */
export function nextStep(ask: Ask, opened: boolean, text = " ", held = ""): { title: string; takes: boolean; opens: boolean } {
  const open = { title: "Open profile", takes: false, opens: true };
  if (held !== "") return open;
  if (ask === "invite") return text === "" ? { ...open, takes: true } : { title: "Open profile and copy", takes: true, opens: true };
  if (ask === "outcome") return text === "" ? { ...open, title: "Open profile again", takes: true } : { title: "Open and copy again", takes: true, opens: true };
  return ask === "write" && opened ? { title: "No reply, copy the message", takes: true, opens: false } : open;
}

/** What the user is to do, in one sentence. */
export function guidance(ask: Ask, kind: string, opened: boolean, text = " ", held = ""): string {
  if (held !== "") return "Do not send it now. If you have sent it already, report that; nothing counts as sent until you do.";
  if (ask === "accepted") return "Open the profile: have they accepted your invitation?";
  if (ask === "connected") return "Open the profile: are you connected with them already?";
  if (ask === "withdraw") return "This invitation has gone unanswered for a long time. Open the profile, withdraw it under Pending, and confirm it here.";
  if (ask === "replied") return "Open the profile and look at the conversation: have they replied?";
  if (text === "" && ask === "invite") return "Enter opens the profile. The invitation goes out without a note.";
  if (text === "" && ask === "outcome") return "On the page that opened, press Connect and send it without a note. Then report what happened; nothing counts as sent until you do.";
  if (ask === "invite") return "Enter opens the profile and copies the note.";
  if (ask === "write") {
    return opened
      ? "Check the conversation. If there is nothing new, Enter copies the message."
      : "Enter opens the profile, so that you can check for a reply.";
  }
  const where = kind === "invitation" ? "Connect → Add a note" : "Message";
  return `On the page that opened, paste it into ${where} and send it. Then report what happened; nothing counts as sent until you do.`;
}
