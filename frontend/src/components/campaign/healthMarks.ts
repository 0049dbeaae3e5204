import type { HealthCheck } from "../../lib/api/generated";

/** How the result of a check is shown: its mark, its tone, and its word for screen readers. */
export const HEALTH_MARKS: Record<HealthCheck["status"], readonly [mark: string, tone: string, word: string]> = {
  ok: ["✓", "text-good", "passed"],
  warn: ["!", "text-warn", "warning"],
  fail: ["×", "text-bad", "failed"],
  "not checked": ["○", "text-muted", "not checked"],
};
