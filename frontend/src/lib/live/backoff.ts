/** How long to wait before the n-th attempt in a row to connect again (n from 0), in milliseconds. */
export function backoff(attempt: number): number {
  return Math.min(250 * 2 ** Math.max(0, attempt), 5_000);
}
