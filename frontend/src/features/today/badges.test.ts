import { expect, it } from "vitest";
import { headline, waitingOf } from "./today";
import type { CampaignToday, CampaignView, Need } from "../../lib/api/generated";
import { badgesOf } from "../../lib/campaign/needs";
import { SCREENS, readRoute } from "../../lib/navigation/route";

const COUNTED: Record<Need, number> = { approve: 1, send: 2, read: 4, answer: 8, tell_apart: 16, add_leads: 0, import_again: 0 };
const NEEDS = (Object.keys(COUNTED) as Need[]).filter((need) => COUNTED[need] > 0);

const badges = (needs: CampaignView["needs"]) => badgesOf({ needs, incidents: [] });
const waiting = (needs: CampaignView["needs"]) => {
  const shown = { id: "c1", name: "Talks", site: "linkedin_assist", needs, latest: [], put_off: 0, put_off_until: null } as unknown as CampaignToday;
  return waitingOf([shown], needs.tell_apart ?? 0);
};
const screenOf = (link: string) => {
  const route = readRoute(link);
  return route.name === "campaign" ? route.screen : null;
};

it.each([...NEEDS.map((need) => ({ [need]: COUNTED[need] })), COUNTED, {}])("a badge is what Today lists for its screen: %o", (needs) => {
  const listed = Object.fromEntries(SCREENS.map((screen) => [screen.id, waiting(needs).reduce((sum, card) => sum + (screenOf(card.link) === screen.id ? card.count : 0), 0)]));
  expect(Object.fromEntries(SCREENS.map(({ id }) => [id, badges(needs)[id] ?? 0]))).toEqual(listed);
  const all = Object.values(badges(needs)).reduce((sum, n) => sum + n, 0);
  expect(headline(waiting(needs))).toBe(all === 0 ? "Nothing needs you now" : all === 1 ? "1 thing needs you" : `${all} things need you`);
});

it("counts an incident on Today, where it is cleared, and missing leads where they are added", () => {
  expect(badgesOf({ needs: {}, incidents: [{} as never] })).toMatchObject({ today: 1 });
  expect([badges({ add_leads: 1 }).leads, badges({ import_again: 1 }).leads]).toEqual([1, 1]);
});
