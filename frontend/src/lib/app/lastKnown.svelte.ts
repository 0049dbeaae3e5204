import type { KnownCampaign, LastKnown } from "../api/generated";
import { app } from "./app.svelte";

/** What the window's first page is told (`backend/api/server/page_files.py`): the newest campaigns as they were when Outrider was closed. */
const campaigns = read(document.documentElement.dataset["known"]);

/** The room that what waits takes above the list of campaigns, in pixels: as it was last, or as it is now. */
export const above = $state({ pixels: Number(document.documentElement.dataset["above"] ?? 0) });

/** The campaigns as they were last, which need not be so any more; none as soon as Outrider can be asked. */
export function lastKnown(): readonly KnownCampaign[] {
  return app.phase === "connecting" ? campaigns : [];
}

function read(text: string | undefined): readonly KnownCampaign[] {
  return text === undefined ? [] : (JSON.parse(text) as LastKnown).campaigns;
}
