import { expect, it } from "vitest";
import { leadsHere, linkTo, readRoute } from "./route";

it("reads every kind of address", () => {
  expect(readRoute("")).toEqual({ name: "campaigns" });
  expect(readRoute("#/")).toEqual({ name: "campaigns" });
  expect(readRoute("#/new")).toEqual({ name: "wizard" });
  expect(readRoute("#/settings/keys")).toEqual({ name: "settings", section: "keys", part: "" });
  expect(readRoute("#/settings/voice/2")).toEqual({ name: "settings", section: "voice", part: "2" });
  expect(readRoute("#/campaigns/abc")).toEqual({ name: "campaign", id: "abc", screen: "today", rest: [] });
  expect(readRoute("#/campaigns/abc/run/3")).toEqual({ name: "campaign", id: "abc", screen: "run", rest: ["3"] });
});

it("says where an address makes no sense", () => {
  expect(readRoute("#/campaigns")).toEqual({ name: "campaigns" });
  expect(readRoute("#/campaigns/<script>")).toEqual({ name: "unknown" });
  expect(readRoute("#/nonsense")).toEqual({ name: "unknown" });
  expect(readRoute("#/campaigns/abc/nowhere")).toMatchObject({ screen: "today" });
  expect(readRoute("#/%E0%A4%A")).toEqual({ name: "unknown" });
});

it("still understands where a campaign's settings were", () => {
  expect(readRoute("#/settings/limits/abc")).toEqual({ name: "campaign", id: "abc", screen: "setup", rest: [] });
});

it("finds again what a link names", () => {
  expect(readRoute(linkTo("abc", "inbox", "lead/1"))).toEqual({ name: "campaign", id: "abc", screen: "inbox", rest: ["lead/1"] });
});

it.each([
  ["#/campaigns/a/inbox", "#/campaigns/a/inbox/lead1", true],
  ["#/campaigns/a/inbox", "#/campaigns/a", false],
  ["#/campaigns/a/inbox", "#/campaigns/b/inbox", false],
  ["#/settings/keys", "#/settings/keys", true],
  ["#/settings/keys", "#/settings/models", false],
  ["#/send", "#/send", true],
  ["#/send", "#/campaigns/a/send", false],
])("%s leads to the screen at %s: %s", (link, shown, here) => expect(leadsHere(link, readRoute(shown))).toBe(here));
