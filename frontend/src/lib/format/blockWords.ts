const WORDS: Record<string, string> = {
  do_not_contact: "Do not contact",
  skipped: "Skipped",
  in_touch_elsewhere: "With another campaign",
  in_doubt: "Same person?",
  taken_over: "Moved to another campaign",
  answered_elsewhere: "Replied in another campaign",
  no_profile_url: "No usable profile address",
  labelled: "Labelled before the first contact",
  outcome_unknown: "Check whether it arrived",
  answered_before: "In touch before",
  written_to_before: "In touch before",
  invited_before: "In touch before",
};

/** Why nothing goes to somebody, in a few words. */
export const blockWords = (blocked: string): string => WORDS[blocked] ?? blocked.replaceAll("_", " ");
