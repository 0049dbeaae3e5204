import { expect, test, vi } from "vitest";

import type { CampaignSettings } from "../../../lib/api/generated";
import { RequestFailed } from "../../../lib/api/errors";
import { unsaved } from "../../../lib/app/unsavedWork";
import { settingsFormOf } from "./campaignSettings.svelte";

const { view, edit } = vi.hoisted(() => ({ view: vi.fn(), edit: vi.fn() }));
vi.mock("../../../lib/api/calls", () => ({ campaignSettingsView: view, campaignSettingsEdit: edit }));

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

const limits = { messages_a_day: 20, notes_a_month: 5, work_days: [0], day_starts: 0, day_ends: 60 };

/** A campaign under change: its form, what another window does to it, and what was sent. */
async function edited(id: string) {
  let stored = { ...settings(id, "Talks"), limits } as unknown as CampaignSettings;
  const change = (changes: object) => (stored = { ...stored, version: stored.version + 1, ...changes });
  view.mockImplementation(() => Promise.resolve(stored));
  edit.mockReset().mockImplementation((_: string, { version, ...changes }: Record<string, unknown>) => {
    if (version !== stored.version) return Promise.reject(new RequestFailed({ code: "settings_changed", sentence: "", remedy: "" }, 409));
    change(Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== null)));
    return Promise.resolve();
  });
  const form = settingsFormOf(id);
  await form.open();
  return { form, change, stored: () => stored };
}

test.each(["before it is saved", "as it is saved"])("what another window changed %s stays, and all that was typed here is saved without a question", async (when) => {
  const { form, change, stored } = await edited(`c5 ${when}`);
  form.topic = "My topic";
  form.limits.set({ notes_a_month: 4 });
  change({ goal: "Their goal", limits: { ...limits, messages_a_day: 10 } });
  if (when === "before it is saved") await form.follow();
  await form.save();
  expect([form.error, form.elsewhere, form.notice]).toEqual([null, {}, "Saved."]);
  expect(stored()).toMatchObject({ goal: "Their goal", topic: "My topic", limits: { ...limits, messages_a_day: 10, notes_a_month: 4 } });
});

test.each(["before it is saved", "as it is saved"])("of what another window changed %s, too, the user sees theirs, keeps what was typed, and decides", async (when) => {
  const { form, change, stored } = await edited(`c6 ${when}`);
  form.topic = "My topic";
  form.limits.set({ notes_a_month: 4 });
  change({ topic: "Theirs", limits: { ...limits, notes_a_month: 3 } });
  await (when === "before it is saved" ? form.follow() : form.save());
  expect([form.error, form.elsewhere]).toEqual([null, { "What it is about": "Theirs", "Connection notes per 30 days": "3" }]);
  expect([form.topic, form.limits.value?.notes_a_month, stored().topic]).toEqual(["My topic", 4, "Theirs"]);
  change({ goal: "Another goal" }); // and what is no conflict asks nothing more
  await form.save();
  expect(stored()).toMatchObject({ goal: "Another goal", topic: "My topic", limits: { ...limits, notes_a_month: 4 } });
  expect(form.elsewhere).toEqual({});
});
