import type { LeadStatus } from "../api/generated";

export const LEAD_ORDER: readonly LeadStatus[] = ["responded", "contacted", "rejected", "pending"];

export interface Segment {
  status: LeadStatus;
  count: number;
  /** Share of all leads in percent, for the bar's width. */
  share: number;
}

export interface Progress {
  total: number;
  /** Leads that are no longer pending. */
  reached: number;
  segments: Segment[];
}

export function leadProgress(counts: Partial<Record<LeadStatus, number>>): Progress {
  const total = LEAD_ORDER.reduce((sum, status) => sum + (counts[status] ?? 0), 0);
  const segments = LEAD_ORDER.map((status) => {
    const count = counts[status] ?? 0;
    return { status, count, share: total === 0 ? 0 : (count / total) * 100 };
  });
  return { total, reached: total - (counts.pending ?? 0), segments };
}
