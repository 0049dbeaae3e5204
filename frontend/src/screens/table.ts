import type { Component } from "svelte";
import type { Campaign } from "../state/campaign.svelte";
import type { ScreenId } from "../state/route";

/** What every screen of a campaign is given; `rest` is what follows the screen in the address. */
export interface ScreenProps {
  campaign: Campaign;
  rest: string[];
}

type Load = () => Promise<{ default: Component<ScreenProps> }>;

/** The screens, each loaded when it is first shown. */
export const LOAD: Record<ScreenId, Load> = {
  run: () => import("./run/Run.svelte"),
  review: () => import("./review/Review.svelte"),
  tasks: () => import("./tasks/Tasks.svelte"),
  leads: () => import("./leads/Leads.svelte"),
  inbox: () => import("./inbox/Inbox.svelte"),
  artifacts: () => import("./artifacts/Artifacts.svelte"),
  timeline: () => import("./timeline/Timeline.svelte"),
  insights: () => import("./insights/Insights.svelte"),
};
