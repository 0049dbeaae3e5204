import { expect, it } from "vitest";
import { age, ago, clockDay, clockTime, comingDay, dated, dayAndTime, dayEnding, earliest, pastHere, dayTitle, fullTime, practiceClock, secondHere, timeHere, withTimesHere, withWrittenDays, datedHere, writtenDay } from "./dates";

const NOON = Date.UTC(2026, 5, 1, 12, 0, 9);
const ahead = (ms: number) => [{ since: 0, ms }];

it("tells the time of the campaign and not of the machine", () => {
  expect(clockTime(Date.UTC(2026, 10, 23, 8, 5), ahead(3_600_000))).toBe("23 Nov, 09:05");
  expect(clockTime(NOON, [])).toBe("1 Jun, 12:00");
  expect(clockTime(NOON, ahead(-13 * 3_600_000))).toBe("31 May, 23:00");
  expect(dated(NOON, [])).toBe("1 Jun 2026, 12:00");
  expect(fullTime(NOON, ahead(2 * 3_600_000))).toBe("1 Jun 2026, 14:00:09");
  expect(dayTitle(NOON, [])).toBe("Mon 1 Jun");
});

it("never names a bare weekday, and the year where it is another", () => {
  const now = Date.UTC(2026, 5, 10, 12);
  expect(clockDay(now - 86_400_000, now, [])).toBe("9 Jun, 12:00");
  expect(clockDay(Date.UTC(2026, 0, 1, 23, 30), now, ahead(3_600_000))).toBe("2 Jan, 00:30");
  expect(clockDay(Date.UTC(2025, 5, 1, 12), now, [])).toBe("1 Jun 2025, 12:00");
});

it("says how far the practice clock is ahead", () => {
  expect(practiceClock(NOON, NOON - 3_600_000, [])).toBe("Mon 1 Jun 12:00");
  expect(practiceClock(NOON, NOON - 90_000_000, [])).toBe("Mon 1 Jun 12:00, 1 day ahead");
  expect(practiceClock(NOON, NOON - 14 * 86_400_000, [])).toBe("Mon 1 Jun 12:00, 14 days ahead");
  const saturday = NOON - 43 * 3_600_000; // 17:00: 43 hours before, and two days by the calendar
  expect(practiceClock(NOON, saturday, [])).toBe("Mon 1 Jun 12:00, 2 days ahead");
});

it("leaves out the day where it is today", () => {
  expect(dayAndTime(NOON, NOON - 3_600_000, [])).toBe("12:00");
  expect(dayAndTime(NOON, NOON - 86_400_000, [])).toBe("Mon 1 Jun, 12:00");
  expect(comingDay(NOON, NOON - 13 * 3_600_000, [])).toBe("tomorrow");
  expect(comingDay(NOON, NOON - 13 * 3_600_000, ahead(3_600_000))).toBe("on Mon 1 Jun");
  expect(comingDay(NOON, NOON - 3 * 86_400_000, [])).toBe("on Mon 1 Jun");
  expect(earliest(NOON, NOON - 3_600_000, [])).toBe("from 12:00");
  expect(dayAndTime(NOON, NOON - 11 * 3_600_000, ahead(-3 * 3_600_000))).toBe("Mon 1 Jun, 09:00");
});

it("names the day that a midnight ends, not the one that it begins", () => {
  const midnight = Date.UTC(2026, 11, 5, 23); // by a clock an hour ahead
  expect(dayEnding(midnight, midnight - 2 * 86_400_000, ahead(3_600_000))).toBe("Sat 5 Dec");
  expect(dayEnding(midnight, midnight - 3_600_000, ahead(3_600_000))).toBe("today");
  expect(dayEnding(midnight, midnight, ahead(3_600_000))).toBe("Sat 5 Dec");
});

it("says how long ago in one unit", () => {
  expect([-5, 0, 59_999, 60_000, 3_599_999, 3_600_000, 90_000_000].map(ago)).toEqual([
    "just now", "just now", "just now", "1 min ago", "59 min ago", "1 h ago", "1 d ago",
  ]);
  expect([-5, 30_000, 5 * 60_000, 72 * 3_600_000].map(age)).toEqual(["now", "now", "5 min", "3 d"]);
});

it("tells a moment by this machine's clock, with the day when it is another", () => {
  const at = new Date(2026, 10, 23, 10, 2, 5).getTime();
  expect(timeHere(at, new Date(2026, 10, 23, 23, 59).getTime())).toBe("10:02");
  expect(timeHere(at, new Date(2026, 10, 24, 9, 0).getTime())).toBe("23 Nov, 10:02");
  expect(timeHere(at, new Date(2027, 0, 23, 9, 0).getTime())).toBe("23 Nov 2026, 10:02");
  expect(secondHere(at)).toBe("10:02:05");
  expect(pastHere(at, new Date(2026, 10, 23, 23, 59).getTime())).toBe("10:02");
  expect(pastHere(at, new Date(2026, 10, 24, 0, 1).getTime())).toBe("yesterday 10:02");
  expect(pastHere(at, new Date(2026, 10, 25, 0, 1).getTime())).toBe("Mon 23 Nov, 10:02");
});

it("shows in a text of Outrider's the times of this machine", () => {
  const here = datedHere(Date.UTC(2026, 10, 29, 22, 15, 29));
  expect(withTimesHere("entry 6 is missing (everything since 2026-11-29 22:15:29 UTC)")).toBe(`entry 6 is missing (everything since ${here})`);
  expect(withTimesHere("nothing of it is there")).toBe("nothing of it is there");
});

it("writes a day of a file as all others are written", () => {
  expect(["2026-11-03", "", "Nov 2026"].map(writtenDay)).toEqual(["3 Nov 2026", "", "Nov 2026"]);
  expect(withWrittenDays("+20 connected 2026-05-02 is not before 2026-06-01 · +0 note “2026-05-02” is not a date")).toBe(
    "+20 connected 2 May 2026 is not before 1 Jun 2026 · +0 note “2026-05-02” is not a date",
  );
});
