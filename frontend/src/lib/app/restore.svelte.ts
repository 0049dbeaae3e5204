import { backupView } from "../api/calls";
import { Query } from "../query/query.svelte";

/** The backup that the next start puts back, and what this start put back: shown above every screen and in Settings. */
export const restore = new Query(backupView);
