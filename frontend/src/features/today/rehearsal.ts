import type { WhatWasProven } from "../../lib/api/generated";
import { count, plural } from "../../lib/format/numbers";

export interface ProvenLine {
  title: string;
  count: string;
  holds: boolean;
}

/** What a rehearsal proved, each with its numbers and whether it holds. */
export function provenLines(proven: WhatWasProven): ProvenLine[] {
  const { counted, delivered, duplicates, missing, unapproved, replied, after_reply: after, entries, broken } = proven;
  const sent = {
    title: "Every message was sent exactly once",
    count: `Delivered ${delivered}, duplicates ${duplicates}, missing ${missing}`,
    holds: duplicates === 0 && missing === 0,
  };
  return [
    ...(counted ? [sent] : []), // its ledger is no longer kept: nothing to compare with
    {
      title: "Nothing was sent without your approval",
      count: unapproved === 0 ? counted ? `${plural(delivered, "message")}, each approved by you` : "Each message was approved by you" : `${unapproved} without an approval`,
      holds: unapproved === 0,
    },
    {
      title: "Whoever replied got no further message",
      count: `${plural(replied, "reply", "replies")}, ${plural(after, "message")} after one`,
      holds: after === 0,
    },
    {
      title: "The log is complete and unaltered",
      count: broken === "" ? `${count(entries)} log entries checked` : broken,
      holds: broken === "",
    },
  ];
}
