import { expect, test, vi } from "vitest";

import type { CampaignSettings } from "../../../lib/api/generated";
import { unsaved } from "../../../lib/app/unsavedWork";
import { settingsFormOf } from "./campaignSettings.svelte";

const view = vi.hoisted(() => vi.fn());
vi.mock("../../../lib/api/calls", () => ({ campaignSettingsView: view, campaignSettingsEdit: vi.fn() }));

const settings = (id: string, name: string) => ({ id, version: 1, name, goal: "Goal", topic: "", limits: {}, defaults: {}, bounds: {}, utc_offsets: [] }) as unknown as CampaignSettings;

test("what was changed of a campaign and not saved is there when the user comes back, and no other campaign has it", async () => {
  view.mockImplementation((id: string) => Promise.resolve(settings(id, id)));
  await settingsFormOf("c1").open();
  settingsFormOf("c1").name = "Another name";
  await settingsFormOf("c2").open();
  expect(settingsFormOf("c2").name).toBe("c2");
  await settingsFormOf("c1").open();
  expect(settingsFormOf("c1").name).toBe("Another name");
  expect(unsaved.held()).toBe(true);
  settingsFormOf("c1").undo();
  expect(unsaved.held()).toBe(false);
  view.mockImplementation((id: string) => Promise.resolve(settings(id, "Renamed elsewhere")));
  await settingsFormOf("c1").open();
  expect(settingsFormOf("c1").name).toBe("Renamed elsewhere");
});

test("what is typed while the settings are asked for again is not overwritten", async () => {
  view.mockImplementation((id: string) => Promise.resolve(settings(id, id)));
  const form = settingsFormOf("c3");
  await form.open();
  const opening = form.open();
  form.name = "Typed meanwhile";
  await opening;
  expect(form.name).toBe("Typed meanwhile");
});

test("a new topic that no message may hold is refused where it is typed; one that was there is no obstacle", async () => {
  view.mockResolvedValue({ ...settings("c4", "Talks"), topic: "Before\u202e", limits: { work_days: [0], day_starts: 0, day_ends: 60 } });
  const form = settingsFormOf("c4");
  await form.open();
  expect(form.wrong).toEqual({});
  form.topic = "A talk \u202ein May";
  expect(form.wrong["topic"]).toContain("hidden character that must not be sent (U+202E)");
  form.topic = "A\u200btalk in May";
  expect(form.wrong).toEqual({});
  form.undo();
});
