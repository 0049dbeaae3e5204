import type { Bound, Limits } from "../api/generated";
import type { UtcOffsets } from "../format/localTime";
import { LAST_DAYS, asLastDay } from "./lastDays";

type NumberName = { [Name in keyof Limits]: Limits[Name] extends number ? Name : never }[keyof Limits];

export interface NumberField {
  name: NumberName;
  title: string;
  unit: string;
}

/** The limits that are plain numbers, in groups, in the order in which they are shown; `about` is one line for the group. */
export const GROUPS: readonly { title: string; about: string; numbers: readonly NumberField[] }[] = [
  {
    title: "Daily limits",
    about: "At most this many for this account, in all its campaigns together. A free LinkedIn account has about five notes a month.",
    numbers: [
      { name: "invitations_a_day", title: "Invitations a day", unit: "" },
      { name: "messages_a_day", title: "Messages a day", unit: "" },
      { name: "invitations_a_week", title: "Invitations in 7 days", unit: "" },
      { name: "notes_a_month", title: "Connection notes per 30 days", unit: "" },
    ],
  },
  {
    title: "Pace",
    about: "A new account grows into its limits, nothing goes out in a burst, and whether they have replied is checked before anything is sent.",
    numbers: [
      { name: "ramp_days", title: "Ramp-up", unit: "days" },
      { name: "spacing_seconds", title: "Pause between actions", unit: "seconds" },
      { name: "thread_fresh_minutes", title: "Check for replies if last checked more than … ago", unit: "minutes" },
    ],
  },
  {
    title: "One campaign at a time",
    about: "After the last message of this campaign to somebody, your other campaigns leave them alone for so long.",
    numbers: [{ name: "claim_days", title: "Leave people to this campaign for", unit: "days" }],
  },
  {
    title: "Approvals and drafts",
    about: "An approval that was not used by then has to be given again. Messages are drafted for the days in which they can go out.",
    numbers: [
      { name: "approval_working_days", title: "Approvals last after the planned day for", unit: "working days" },
      { name: "prepared_days", title: "Draft messages for the next", unit: "working days" },
    ],
  },
  {
    title: "Least score",
    about: "Everybody has a score from 0 to 100 by your goal. Whoever has less than this is left out, unless you give them a higher priority by hand. With 0 nobody is. Who is planned already goes on.",
    numbers: [{ name: "least_score", title: "Contact people with a score of at least", unit: "" }],
  },
  {
    title: "Target",
    about: "How many people you want to come into conversation with: whoever replied for the first time counts. Today and Insights show how many so far. With 0 there is no target.",
    numbers: [{ name: "target_a_month", title: "Conversations a month", unit: "" }],
  },
  {
    title: "Model budget",
    about: "In total, by what this device knows, prompts included. The campaign pauses before it is exceeded.",
    numbers: [
      { name: "model_cents", title: "Cost", unit: "US cents" },
      { name: "model_kilotokens", title: "Tokens", unit: "thousand" },
    ],
  },
  {
    title: "Old invitations",
    about: "After so long without an answer, Outrider withdraws that many a day. With 0, and always where you send by hand, Today reminds you to.",
    numbers: [
      { name: "withdraw_after_days", title: "Withdraw after", unit: "days" },
      { name: "withdrawals_a_day", title: "Withdrawals a day", unit: "" },
    ],
  },
];

/** So many of them are what everybody decides; the rest is rarely changed. */
export const FIRST_GROUPS = 2;

export const DAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"] as const;

/** Minutes after midnight as "09:00"; the end of the day is "24:00". */
export function asTime(minutes: number): string {
  const two = (value: number) => String(value).padStart(2, "0");
  return `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

/** A limit as its field has it: what it is called, and its value. */
export function fieldOf(name: keyof Limits, limits: Limits, offsets: UtcOffsets): { title: string; value: string } {
  switch (name) {
    case "work_days":
      return { title: "Days", value: limits.work_days.map((day) => DAYS[day]).join(", ") };
    case "day_starts":
      return { title: "From", value: asTime(limits.day_starts) };
    case "day_ends":
      return { title: "To", value: asTime(limits.day_ends) };
    case "first_contact_until":
    case "ends_at":
      return { title: LAST_DAYS.find((field) => field.name === name)?.title ?? name, value: asLastDay(limits[name], offsets) };
    default:
      return { title: GROUPS.flatMap((group) => group.numbers).find((field) => field.name === name)?.title ?? name, value: String(limits[name]) };
  }
}

/** "09:00" as minutes after midnight; null for what is no time. */
export function asMinutes(time: string): number | null {
  const match = /^(\d{1,2}):(\d{2})$/.exec(time.trim());
  if (match === null) return null;
  const minutes = Number(match[1]) * 60 + Number(match[2]);
  return Number(match[2]) < 60 && minutes <= 24 * 60 ? minutes : null;
}

/** What is wrong with these limits, by field; nothing when they can be saved. */
export function wrongIn(limits: Limits, bounds: Record<string, Bound>): Record<string, string> {
  const problems: Record<string, string> = {};
  for (const [name, { least, most }] of Object.entries(bounds)) {
    const value = limits[name as NumberName];
    if (!Number.isInteger(value) || value < least || value > most) problems[name] = `From ${least} to ${most}.`;
  }
  if (limits.work_days.length === 0) problems["work_days"] = "Choose at least one day.";
  if (limits.day_starts >= limits.day_ends) problems["day_ends"] = "The end must be later than the start.";
  return problems;
}

/** Work days after one was chosen or left, in the order of the week. */
export const withDay = (days: readonly number[], day: number): number[] =>
  (days.includes(day) ? days.filter((other) => other !== day) : [...days, day]).toSorted((first, other) => first - other);

/** The most characters that a campaign's texts may have. */
export const LONGEST = { name: 120, goal: 1_000 };
