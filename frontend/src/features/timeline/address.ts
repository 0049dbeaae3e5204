import type { TimelineQuery } from "../../lib/api/generated";

export type LogName = TimelineQuery["log"];

/** What is looked for in a log; an empty word looks for everything. */
export type LogQuery = Pick<TimelineQuery, "log" | "group" | "actor" | "about" | "turn" | "text">;

/**
 * What follows "timeline" in the address, as pairs of name and value: "about/LEAD", "turn/38", "log/audit/group/tool".
 * `group` is "all" for everything; without one a timeline that is only opened shows the highlights (`groupOf`).
 * `at` is the entry at which the log is opened, `past` the event after which the campaign is shown as it was.
 */
export interface Address extends LogQuery {
  at: number | null;
  past: number | null;
}

export const NOWHERE: Address = {
  log: "events",
  group: "",
  actor: "",
  about: "",
  turn: null,
  text: "",
  at: null,
  past: null,
};

const LOGS = ["events", "audit", "workspace"] as const;

export function readAddress(rest: readonly string[]): Address {
  const parameters = new Map<string, string>();
  for (let index = 0; index + 1 < rest.length; index += 2) parameters.set(rest[index] ?? "", rest[index + 1] ?? "");
  const parameter = (name: string) => parameters.get(name) ?? "";
  return {
    log: LOGS.find((log) => log === parameter("log")) ?? "events",
    group: parameter("group"),
    actor: parameter("actor"),
    about: parameter("about"),
    turn: whole(parameter("turn")),
    text: parameter("text"),
    at: whole(parameter("at")),
    past: whole(parameter("past")),
  };
}

/** The parts of the address, without what is as nobody asked for it. */
export function restOf(address: Address): string[] {
  const named = Object.keys(NOWHERE) as (keyof Address)[];
  return named.filter((name) => address[name] !== NOWHERE[name]).flatMap((name) => [name, String(address[name])]);
}

/** The group that is shown, "" for everything. Who looks for something in particular looks through the bookkeeping too. */
export function groupOf({ log, group, about, turn, text, at }: Address): string {
  if (group === "all") return "";
  const onlyOpened = log === "events" && about === "" && turn === null && text === "" && at === null;
  return group === "" && onlyOpened ? "highlights" : group;
}

/** What the server is asked. */
export function questionOf(address: Address): LogQuery {
  const { log, actor, about, turn, text } = address;
  return { log, group: groupOf(address), actor, about, turn, text };
}

/** Another log has other groups; a filter that is changed begins at the newest entry. */
export function changed(address: Address, change: Partial<Address>): Address {
  const other = change.log !== undefined && change.log !== address.log;
  return { ...address, at: null, ...(other ? { group: "" } : {}), ...change };
}

export const isFiltered = (address: Address): boolean =>
  groupOf(address) !== "" || address.actor !== "" || address.about !== "" || address.turn !== null || address.text !== "";

function whole(text: string): number | null {
  return /^\d{1,15}$/.test(text) ? Number(text) : null;
}
