import type { Component } from "svelte";
import type { ScreenId } from "../lib/navigation/route";
import type { ScreenProps } from "../lib/campaign/screen";

type Load = () => Promise<{ default: Component<ScreenProps> }>;

/** The screens, each loaded when it is first shown. */
export const LOAD: Record<ScreenId, Load> = {
  today: () => import("../features/today/Today.svelte"),
  run: () => import("../features/run/Run.svelte"),
  review: () => import("../features/review/Review.svelte"),
  send: () => import("../features/send/Send.svelte"),
  tasks: () => import("../features/tasks/Tasks.svelte"),
  leads: () => import("../features/leads/Leads.svelte"),
  sequence: () => import("../features/sequence/Sequence.svelte"),
  inbox: () => import("../features/inbox/Inbox.svelte"),
  artifacts: () => import("../features/artifacts/Artifacts.svelte"),
  timeline: () => import("../features/timeline/Timeline.svelte"),
  setup: () => import("../features/settings/campaign/CampaignSetup.svelte"),
  insights: () => import("../features/insights/Insights.svelte"),
  scripts: () => import("../features/scripts/Scripts.svelte"),
};
