import { describe, expect, it } from "vitest";
import type { ForecastDay } from "../api/generated";
import { dayWords, leftOut, level, outgoing, unfinished, waitWords, weeks } from "./dryRun";

const day = (name: string, invitations = 0, messages = 0, withdrawals = 0): ForecastDay => ({ day: name, invitations, messages, withdrawals });

describe("a dry run's calendar", () => {
  it("begins each week on a Monday and has no gap", () => {
    const shown = weeks([day("2026-11-25"), day("2026-11-26"), day("2026-11-27"), day("2026-11-28"), day("2026-11-29"), day("2026-11-30")]);
    expect(shown.map((week) => week.map((day) => day?.day.slice(8) ?? ""))).toEqual([
      ["", "", "25", "26", "27", "28", "29"],
      ["30", "", "", "", "", "", ""],
    ]);
    expect(weeks([])).toEqual([]);
  });

  it("colours a day against the busiest", () => {
    const days = [day("a", 8), day("b", 1), day("c"), day("d", 2, 1, 1)];
    expect(days.map((day) => level(day, days))).toEqual([4, 1, 0, 2]);
  });

  it("says a day in words", () => {
    expect(dayWords(day("2026-11-23", 3, 1))).toBe("2026-11-23: 3 invitations, 1 message");
    expect(dayWords(day("2026-11-23", 0, 0, 2))).toBe("2026-11-23: 2 withdrawals");
    expect(dayWords(day("2026-11-23"))).toBe("2026-11-23: nothing");
    expect(waitWords("note")).toContain("used up");
    expect(["approval", "acceptance", "reply"].map(waitWords)).toEqual(["your approval", "their invitation to be accepted", "a reply"]);
  });
});

it("says how many would go out, also if none would", () => {
  expect(outgoing({ total: 5, withdrawals: 2 })).toBe("3 would go out.");
  expect(outgoing({ total: 2, withdrawals: 2 })).toBe("Nothing would go out.");
});

it("says how many would still be waiting at the end", () => {
  const waiting = [{ what: "approval", people: 100 }, { what: "reply", people: 50 }];
  expect(unfinished({ waiting, not_begun: 6 }, 2)).toBe("156 people would still be waiting after 2 days.");
  expect(unfinished({ waiting: [], not_begun: 1 }, 1)).toBe("1 person would still be waiting after 1 day.");
});

it("says each reason for leaving people out once", () => {
  const counts = ["written_to_before", "do_not_contact", "answered_before", "in_doubt"].map((what) => ({ what, people: 1 }));
  expect(leftOut(counts).map(({ why, people, inDoubt }) => [why, people, inDoubt])).toEqual([
    ["In touch before", 2, false],
    ["Do not contact", 1, false],
    ["Same person?", 1, true],
  ]);
});
