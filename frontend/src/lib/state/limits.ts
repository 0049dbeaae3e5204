import type { Bound, Limits } from "../api/generated";

type NumberName = { [Name in keyof Limits]: Limits[Name] extends number ? Name : never }[keyof Limits];

/** The limits that are plain numbers, in the order in which they are shown. */
export const NUMBERS: readonly { name: NumberName; title: string; unit: string; about: string }[] = [
  {
    name: "invitations_a_day",
    title: "Invitations a day",
    unit: "",
    about: "Maximum for this account, in all campaigns together.",
  },
  { name: "invitations_a_week", title: "Invitations in seven days", unit: "", about: "Maximum in any seven days." },
  {
    name: "notes_a_month",
    title: "Invitations with a note in 30 days",
    unit: "",
    about: "Maximum for the account. A free LinkedIn account has about five; invitations without a note do not count.",
  },
  {
    name: "withdraw_after_days",
    title: "Withdraw invitations after",
    unit: "days",
    about: "Once an invitation has gone unanswered this long, Today reminds you to withdraw it.",
  },
  {
    name: "withdrawals_a_day",
    title: "Automatic withdrawals a day",
    unit: "",
    about: "How many old invitations Outrider withdraws for you. With 0, and always with LinkedIn Assist, you withdraw them yourself.",
  },
  { name: "messages_a_day", title: "Messages a day", unit: "", about: "Maximum for this account, in all campaigns together." },
  {
    name: "ramp_days",
    title: "Ramp-up",
    unit: "days",
    about: "How long it takes a new account to grow into the daily limits.",
  },
  { name: "spacing_seconds", title: "Pause between two actions", unit: "seconds", about: "At least this long, so that nothing goes out in a burst." },
  {
    name: "thread_fresh_minutes",
    title: "Reread conversations after",
    unit: "minutes",
    about: "A conversation that was last read longer ago is read again before anything is sent.",
  },
  {
    name: "drafts_ahead",
    title: "Drafts ahead",
    unit: "texts",
    about: "No new texts are written while this many wait in Review.",
  },
  {
    name: "model_cents",
    title: "Model budget",
    unit: "US cents",
    about: "In total, by what this device knows. The campaign pauses before it is exceeded.",
  },
  {
    name: "model_kilotokens",
    title: "Model tokens",
    unit: "thousand",
    about: "In total, prompts included.",
  },
  { name: "approval_days", title: "Approvals are valid for", unit: "days", about: "After that, the text needs your approval again." },
];

export const DAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"] as const;

/** Minutes after midnight as "09:00"; the end of the day is "24:00". */
export function asTime(minutes: number): string {
  const two = (value: number) => String(value).padStart(2, "0");
  return `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

/** "09:00" as minutes after midnight; null for what is no time. */
export function asMinutes(time: string): number | null {
  const found = /^(\d{1,2}):(\d{2})$/.exec(time.trim());
  if (found === null) return null;
  const minutes = Number(found[1]) * 60 + Number(found[2]);
  return Number(found[2]) < 60 && minutes <= 24 * 60 ? minutes : null;
}

/** What is wrong with these limits, by field; nothing when they can be saved. */
export function wrongIn(limits: Limits, bounds: Record<string, Bound>): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [name, { least, most }] of Object.entries(bounds)) {
    const value = limits[name as NumberName];
    if (!Number.isInteger(value) || value < least || value > most) found[name] = `From ${least} to ${most}.`;
  }
  if (limits.work_days.length === 0) found["work_days"] = "Choose at least one day.";
  if (limits.day_starts >= limits.day_ends) found["day_ends"] = "The end must be later than the start.";
  return found;
}

/** Work days after one was chosen or left, in the order of the week. */
export const withDay = (days: readonly number[], day: number): number[] =>
  (days.includes(day) ? days.filter((one) => one !== day) : [...days, day]).toSorted((one, other) => one - other);

/** Days of the week, runs of three and more shortened: "Mon–Fri", "Mon, Wed". */
export function describeDays(days: readonly number[]): string {
  const first = days[0];
  const last = days.at(-1);
  if (first !== undefined && last !== undefined && days.length > 2 && last - first === days.length - 1)
    return `${DAYS[first]}–${DAYS[last]}`;
  return days.map((day) => DAYS[day]).join(", ");
}

/** The limits in one sentence. */
export const describeLimits = (limits: Limits): string =>
  `At most ${limits.invitations_a_day} invitations and ${limits.messages_a_day} messages a day, growing over ${limits.ramp_days} days; ` +
  `${describeDays(limits.work_days)}, ${asTime(limits.day_starts)} to ${asTime(limits.day_ends)}.`;

/** The most characters that a campaign's texts may have. */
export const LONGEST = { name: 120, goal: 1_000 };
