import { expect, it } from "vitest";
import { enoughUntil, nextOut, summed } from "./finished";

const NOW = Date.UTC(2026, 10, 23, 9, 0);
const where: Parameters<typeof nextOut>[2] = { site: "practice", status: "active", now: NOW, utc_offsets: [] };
const [clara, amir] = [{ id: "m1", recipient: "Clara" }, { id: "m2", recipient: "Amir" }];

it("sums up what was done, only what there is", () => {
  expect(summed([])).toBe("");
  expect(summed(["skipped", "approved", "edited", "approved"])).toBe("2 approved · 1 edited · 1 skipped");
});

it("says until when enough is prepared, and nothing while more is drafted", () => {
  expect(enoughUntil({ prepared_until: NOW + 9 * 86_400_000, utc_offsets: [] })).toBe("enough until Wed 2 Dec");
  expect(enoughUntil({ prepared_until: null, utc_offsets: [] })).toBe("");
});

it("names who is next by the forecast, and when", () => {
  const expected = new Map([["m1", NOW + 3_600_000], ["m2", NOW + 1_000]]);
  expect(nextOut([clara, amir], expected, where, false)).toBe("Next: Amir (now), then 1 more.");
  expect(nextOut([clara], expected, where, false)).toBe("Next: Clara (about 10:00).");
  expect(nextOut([clara], new Map(), where, false)).toBe("Next: Clara.");
  expect(nextOut([], expected, where, false)).toBe("");
});

it("promises no time where the user sends, or the campaign does not run", () => {
  expect(nextOut([clara, amir], new Map(), { ...where, site: "linkedin_assist" }, false)).toBe("2 approved messages wait for you in Send.");
  const soon = new Map([["m1", NOW + 1_000]]);
  const still = "1 approved message waits until the campaign continues.";
  expect(nextOut([clara], soon, { ...where, status: "paused" }, true)).toBe(still);
  expect(nextOut([clara], soon, where, true)).toBe(still); // on, and held
  expect(nextOut([clara], soon, { ...where, status: "initializing" }, false)).toBe("1 approved message waits until the campaign starts.");
});
