import type { StepAhead } from "../../lib/api/generated";
import { stepTitle } from "../../lib/format/stepTitle";

const WHEN = { "": "", accepted: "once they accept", no_reply: "if there is no reply", conditions: "if its conditions are met" };

/** "Message 2, 3 days later if there is no reply" */
export function thenSentence({ key, kind, after_days, condition }: StepAhead, titles: Readonly<Record<string, string>>): string {
  const days = after_days === 0 ? "" : `${after_days} ${after_days === 1 ? "day" : "days"} later`;
  const when = condition === "accepted" && days ? `${days}, ${WHEN.accepted}` : [days, WHEN[condition]].filter(Boolean).join(" ");
  const what = kind === "visit" ? "View the profile" : stepTitle(key, titles);
  return when ? `${what}, ${when}` : what;
}
