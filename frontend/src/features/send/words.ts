import type { SessionPerson } from "../../lib/api/generated";

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
  sent: { key: "s", title: "Sent", about: "exactly this text" },
  not_sent: { key: "n", title: "Not sent", about: "comes back later" },
  no_reply: { key: "n", title: "No reply", about: "the sequence goes on" },
  replied: { key: "r", title: "They had written", about: "paste the reply; the sequence stops" },
  connected: { key: "c", title: "Already connected", about: "no invitation; the message comes next" },
  not_connected: { key: "x", title: "Not connected", about: "the sequence stops" },
  withdrawn: { key: "t", title: "Taken back", about: "nothing more goes to them" },
  wrong_person: { key: "w", title: "Wrong person", about: "the sequence stops" },
  skip: { key: "k", title: "Skip today", about: "comes back tomorrow" },
};

/** What is meant by the same words where the question is whether they accepted. */
const ACCEPTED: Partial<Record<Word, Omit<Offer, "word">>> = {
  connected: { key: "c", title: "They accepted", about: "the message comes next" },
  not_connected: { key: "n", title: "Not yet", about: "asked again in a few days" },
};

/** What is meant by the same words where the question is whether somebody who was not invited is a contact. */
const CONNECTED: Partial<Record<Word, Omit<Offer, "word">>> = {
  connected: { key: "c", title: "Connected", about: "the sequence goes on as for a contact" },
  not_connected: { key: "n", title: "Not connected", about: "the sequence goes on as for somebody new" },
};

/** The same where an old invitation is to be taken back. */
const WITHDRAW: Partial<Record<Word, Omit<Offer, "word">>> = {
  connected: { key: "c", title: "They accepted", about: "nothing is taken back" },
};

const ASKED: Partial<Record<Ask, typeof ACCEPTED>> = { accepted: ACCEPTED, connected: CONNECTED, withdraw: WITHDRAW };

/** The answers to what is asked, in their order; no two have the same key. */
export function offers(ask: Ask, words: readonly Word[]): Offer[] {
  return words.map((word) => ({ word, ...(ASKED[ask]?.[word] ?? OFFERS[word]) }));
}

/** What was said, for the line that offers to take it back. */
export const titleOf = (word: Word): string => OFFERS[word].title;

/** What Enter does next; `opened`: the profile was opened for this person. */
export function nextStep(ask: Ask, opened: boolean): { title: string; copies: boolean; opens: boolean } {
  if (ask === "invite") return { title: "Open profile and copy", copies: true, opens: true };
  if (ask === "outcome") return { title: "Open and copy again", copies: true, opens: true };
  if (ask === "write" && opened) return { title: "Nothing new: copy the text", copies: true, opens: false };
  return { title: "Open profile", copies: false, opens: true };
}

/** What the user is to do, in one sentence. */
export function guidance(ask: Ask, kind: string, opened: boolean, text = " "): string {
  if (ask === "accepted") return "Open the profile: have they accepted your invitation?";
  if (ask === "connected") return "Open the profile: are you connected with them already?";
  if (ask === "withdraw") return "Nobody accepted this invitation for long. Open the profile, take it back under Pending, and say so.";
  if (ask === "replied") return "Open the profile and look at the conversation: have they replied?";
  if (text === "" && ask === "invite") return "Enter opens the profile. The invitation goes out without a note.";
  if (text === "" && ask === "outcome") return "Press Connect and send it without a note in the page that opened, and say what happened. Nothing counts as sent before you do.";
  if (ask === "invite") return "Enter opens the profile and puts the text on the clipboard.";
  if (ask === "write") {
    return opened
      ? "Look at the conversation. If nothing new stands there, Enter puts the text on the clipboard."
      : "Enter opens the profile, so that you can look whether they have written.";
  }
  const where = kind === "invitation" ? "Connect → Add a note" : "Message";
  return `The text is yours to send. Paste it into ${where} in the page that opened, send it, and say what happened. Nothing counts as sent before you do.`;
}
