import { expect, it } from "vitest";
import type { Limits } from "../api/generated";
import { asMinutes, asTime, withDay, wrongIn } from "./limits";

const usual = {
  invitations_a_day: 15, invitations_a_week: 80, notes_a_month: 1_000, withdraw_after_days: 21, withdrawals_a_day: 0, claim_days: 60, messages_a_day: 25, ramp_days: 14, spacing_seconds: 90, day_starts: 540, day_ends: 1080,
  work_days: [0, 1, 2, 3, 4], thread_fresh_minutes: 10, prepared_days: 3, approval_working_days: 5, model_cents: 500, model_kilotokens: 5_000, least_score: 0, target_a_month: 0,
} as Limits;
const bounds = { invitations_a_day: { least: 0, most: 100 }, ramp_days: { least: 0, most: 60 } };

it("finds nothing wrong with the usual limits", () => expect(wrongIn(usual, bounds)).toEqual({}));

it("names every limit that is out of its bounds", () => {
  expect(Object.keys(wrongIn({ ...usual, invitations_a_day: 101, ramp_days: 1.5 }, bounds))).toEqual(["invitations_a_day", "ramp_days"]);
  expect(wrongIn({ ...usual, invitations_a_day: Number.NaN }, bounds)).toHaveProperty("invitations_a_day");
  expect(wrongIn({ ...usual, work_days: [] }, bounds)).toHaveProperty("work_days");
  expect(wrongIn({ ...usual, day_ends: 540 }, bounds)).toHaveProperty("day_ends");
});

it("reads and writes times of day", () => {
  expect([0, 540, 1440].map(asTime)).toEqual(["00:00", "09:00", "24:00"]);
  expect(["09:00", "9:05", "24:00", "24:01", "10:60", "nine", ""].map(asMinutes)).toEqual([540, 545, 1440, null, null, null, null]);
});

it("keeps the days in the order of the week", () => {
  expect(withDay([0, 4], 2)).toEqual([0, 2, 4]);
  expect(withDay([0, 2, 4], 2)).toEqual([0, 4]);
});
