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
