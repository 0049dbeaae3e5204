import { expect, it } from "vitest";
import { linkTo, readRoute } from "./route";

it("reads every kind of address", () => {
  expect(readRoute("")).toEqual({ name: "campaigns" });
  expect(readRoute("#/")).toEqual({ name: "campaigns" });
  expect(readRoute("#/new")).toEqual({ name: "wizard" });
  expect(readRoute("#/settings/keys")).toEqual({ name: "settings", section: "keys", part: "" });
  expect(readRoute("#/settings/voice/2")).toEqual({ name: "settings", section: "voice", part: "2" });
  expect(readRoute("#/campaigns/abc")).toEqual({ name: "campaign", id: "abc", screen: "today", rest: [] });
  expect(readRoute("#/campaigns/abc/run/3")).toEqual({ name: "campaign", id: "abc", screen: "run", rest: ["3"] });
});

it("falls back where an address makes no sense", () => {
  expect(readRoute("#/campaigns/<script>")).toEqual({ name: "campaigns" });
  expect(readRoute("#/campaigns/abc/nowhere")).toMatchObject({ screen: "today" });
  expect(readRoute("#/%E0%A4%A")).toEqual({ name: "campaigns" });
});

it("still understands where a campaign's settings were", () => {
  expect(readRoute("#/settings/limits/abc")).toEqual({ name: "campaign", id: "abc", screen: "setup", rest: [] });
});

it("finds again what a link names", () => {
  expect(readRoute(linkTo("abc", "inbox", "lead/1"))).toEqual({ name: "campaign", id: "abc", screen: "inbox", rest: ["lead/1"] });
});
