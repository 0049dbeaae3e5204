import { expect, it } from "vitest";
import { linkTo, readRoute } from "./route";

it("reads every kind of address", () => {
  expect(readRoute("")).toEqual({ name: "campaigns" });
  expect(readRoute("#/")).toEqual({ name: "campaigns" });
  expect(readRoute("#/new")).toEqual({ name: "wizard" });
  expect(readRoute("#/settings/limits")).toEqual({ name: "settings", section: "limits", part: "" });
  expect(readRoute("#/settings/limits/abc")).toEqual({ name: "settings", section: "limits", part: "abc" });
  expect(readRoute("#/campaigns/abc")).toEqual({ name: "campaign", id: "abc", screen: "run", rest: [] });
});

it("falls back where an address makes no sense", () => {
  expect(readRoute("#/campaigns/<script>")).toEqual({ name: "campaigns" });
  expect(readRoute("#/campaigns/abc/nowhere")).toMatchObject({ screen: "run" });
  expect(readRoute("#/%E0%A4%A")).toEqual({ name: "campaigns" });
});

it("finds again what a link names", () => {
  expect(readRoute(linkTo("abc", "inbox", "lead/1"))).toEqual({ name: "campaign", id: "abc", screen: "inbox", rest: ["lead/1"] });
});
