import { expect, it } from "vitest";
import type { SessionPerson } from "../../lib/api/generated";
import { countsInWords, heldElse, leftToday, sections } from "./queue";

const person = (lead_id: string, group: SessionPerson["group"], advice: string[] = []) =>
  ({ lead_id, group, advice: advice.map((sentence) => ({ code: "x", sentence, asks: false, until: null })) }) as unknown as SessionPerson;

const people = [person("a", "answers"), person("b", "messages"), person("c", "messages"), person("d", "checks")];

it("shows the queue under its headings, and who better waits under the reason", () => {
  const later = [person("e", "invitations", ["It is outside working hours."]), person("f", "messages", ["It is outside working hours."])];
  expect(sections({ people, later }).map((section) => [section.title, section.people.map((who) => who.lead_id)])).toEqual([
    ["Your answers", ["a"]],
    ["Messages", ["b", "c"]],
    ["Look for news", ["d"]],
    ["Later: It is outside working hours.", ["e", "f"]],
  ]);
});

it("counts what can be done now, and what is left of the day", () => {
  expect(countsInWords([person("g", "reports"), ...people])).toBe("1 to report, 1 answer, 2 messages, 1 profile to check");
  expect(leftToday([{ family: "invite", used: 14, limit: 15 }, { family: "message", used: 27, limit: 25 }])).toBe("0 messages, 1 invitation");
});

it("says once why nobody can be written to", () => {
  expect(heldElse(["Talks: Stopped.", "Fair: Paused."], "Stopped.")).toEqual(["Fair: Paused."]);
  expect(heldElse(["Stopped."], "Stopped.")).toEqual([]);
  expect(heldElse(["Nothing is Stopped."], "Stopped.")).toEqual(["Nothing is Stopped."]);
  expect(heldElse(["Stopped."], "")).toEqual(["Stopped."]);
});
