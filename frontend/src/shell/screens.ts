import type { Component } from "svelte";
import type { ScreenId } from "../lib/state/route";
import type { ScreenProps } from "../lib/state/screen";

type Load = () => Promise<{ default: Component<ScreenProps> }>;

/** The screens, each loaded when it is first shown. */
export const LOAD: Record<ScreenId, Load> = {
  today: () => import("../features/today/Today.svelte"),
  run: () => import("../features/run/Run.svelte"),
  review: () => import("../features/review/Review.svelte"),
  send: () => import("../features/send/Send.svelte"),
  tasks: () => import("../features/tasks/Tasks.svelte"),
  leads: () => import("../features/leads/Leads.svelte"),
  inbox: () => import("../features/inbox/Inbox.svelte"),
  artifacts: () => import("../features/artifacts/Artifacts.svelte"),
  timeline: () => import("../features/timeline/Timeline.svelte"),
  setup: () => import("../features/settings/CampaignSetup.svelte"),
  insights: () => import("../features/insights/Insights.svelte"),
  scripts: () => import("../features/scripts/Scripts.svelte"),
};
