const BEFORE = ["answered_before", "written_to_before", "invited_before"];
const WORDS: Record<string, string> = {
  do_not_contact: "Do not contact",
  skipped: "Skipped",
  in_touch_elsewhere: "With another campaign",
  below_least_score: "Below your least score",
  in_doubt: "Same person?",
  taken_over: "Moved to another campaign",
  answered_elsewhere: "Replied in another campaign",
  no_profile_url: "No usable profile address",
  labelled: "Labelled before the first contact",
  outcome_unknown: "Check whether it arrived",
  ...Object.fromEntries(BEFORE.map((blocked) => [blocked, "In touch before"])),
};

/** Why nothing goes to somebody, in a few words. */
export const blockWords = (blocked: string): string => WORDS[blocked] ?? blocked.replaceAll("_", " ");

/** Whether their file says that they and the user were in touch before. */
export const wasInTouchBefore = (blocked: string): boolean => BEFORE.includes(blocked);
