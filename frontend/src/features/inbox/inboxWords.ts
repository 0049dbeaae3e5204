import { LABEL_WORDS } from "../../lib/api/generated";
import type { Label, ThreadView } from "../../lib/api/generated";
import { DAY, localDay, momentOf, type UtcOffsets } from "../../lib/format/localTime";

/** What the user may say came of a conversation, each with its key. */
export const LABELS = Object.entries(LABEL_WORDS).map(([label, title], place) => ({ label: label as Label, title, key: String(place + 1) }));

const MORNING = 8 * 3_600_000;

/** Times to put a conversation off to, each a morning on the campaign's clock. */
export function laterTimes(now: number, offsets: UtcOffsets): { title: string; at: number }[] {
  const inDays = (days: number) => momentOf((localDay(now, offsets) + days) * DAY + MORNING, offsets);
  return [
    { title: "Tomorrow", at: inDays(1) },
    { title: "In 3 days", at: inDays(3) },
    { title: "In a week", at: inDays(7) },
    { title: "In a month", at: inDays(30) },
  ];
}

/** The morning of a day that a date field gives ("2026-11-30"), on the campaign's clock; null for none. */
export function morningOf(day: string, offsets: UtcOffsets): number | null {
  const at = Date.parse(`${day}T00:00:00Z`);
  return Number.isNaN(at) ? null : momentOf(at + MORNING, offsets);
}

/** The next step that is suggested, in words; "" for none. */
export function suggestionOf(thread: Pick<ThreadView, "suggestion" | "by_hand" | "campaign_runs" | "label" | "state" | "waiting">): string {
  switch (thread.suggestion) {
    case "do_not_contact":
      return "They declined. Add them to the do-not-contact list?";
    case "answer":
      return thread.label === "" ? "They wrote last. Answer them, or choose a label." : "They wrote last. Answer them?";
    case "label":
      return "How did it go? A label keeps the funnel accurate.";
    case "wait_to_be_sent":
      if (thread.by_hand) return thread.waiting?.can_be_taken_back === false ? "Your answer was copied. Say in Send whether you sent it." : "Your answer is waiting in Send.";
      return thread.campaign_runs ? "Your answer is about to be sent." : "Your answer is sent when the campaign runs again.";
    case "wait_for_them":
      if (thread.state === "unknown") return thread.by_hand ? "Say in Send whether you sent it." : "Outrider looks again, and asks you if it still cannot tell.";
      return thread.by_hand ? "Outrider does not see what they write to you. Say so here when they do." : "Nothing to do until they write.";
    case "wait_until":
    case "nothing":
      return "";
  }
}
