import type { StepAhead } from "../../lib/api/generated";

const WHEN = { "": "", accepted: "once they accept", no_reply: "if there is no reply", conditions: "if its conditions are met" };

/** "message “again”, 3 days later if there is no reply" */
export function thenSentence({ key, kind, after_days, condition }: StepAhead): string {
  const days = after_days === 0 ? "" : `${after_days} ${after_days === 1 ? "day" : "days"} later`;
  const when = condition === "accepted" && days ? `${days}, ${WHEN.accepted}` : [days, WHEN[condition]].filter(Boolean).join(" ");
  const what = kind === "visit" ? "view the profile" : kind === "end" ? "the end" : `${kind} “${key.replaceAll("_", " ")}”`;
  return when ? `${what}, ${when}` : what;
}
