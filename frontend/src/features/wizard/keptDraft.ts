import { newStep, STEPS } from "./steps";
import type { StepId } from "./steps";
import type { RequestedStep } from "../../lib/api/generated";
import { newCondition } from "../../lib/campaign/conditions";
import type { KeptFile } from "../../lib/leads/leadFile.svelte";
import type { KeptLimits } from "../../lib/campaign/limitsDraft.svelte";

/** All that is kept of a campaign in the making (`backend/store/new_campaign_draft.py`): what was typed and chosen, and nobody of the file. */
export interface KeptDraft {
  key: string;
  step: StepId;
  name: string;
  goal: string;
  topic: string;
  site: string;
  model: string;
  later: boolean;
  preset: string;
  picked: boolean;
  steps: RequestedStep[];
  limits: KeptLimits;
  file: KeptFile | null;
}

/** Kept with each draft; one that is written otherwise is begun anew. */
const VERSION = 1;

export const draftText = (draft: KeptDraft): string => JSON.stringify({ version: VERSION, ...draft });

/** A draft from its text; null if there is none, or if it is not understood. What steps could not say when it was written is as usual. */
export function draftFrom(text: string): KeptDraft | null {
  try {
    const { version, ...draft } = JSON.parse(text) as KeptDraft & { version: number };
    if (version !== VERSION || !STEPS.some((step) => step.id === draft.step)) return null;
    return { ...draft, steps: draft.steps.map(whole) };
  } catch {
    return null;
  }
}

const whole = (step: RequestedStep): RequestedStep => ({
  ...newStep(step.kind, step.after_days, step.template),
  ...step,
  only_if: step.only_if.map((condition) => ({ ...newCondition(condition.what, []), ...condition })),
});
