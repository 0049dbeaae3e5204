import { sessionPresence } from "../api/calls";
import { inWindow } from "../desktop/native";

const EVERY = 15_000;

/** Whether to report now: at once when the page was hidden or shown, else now and then while it is seen. */
export function shouldReport(visible: boolean, reportedVisible: boolean | null, sinceReport: number): boolean {
  return visible !== reportedVisible || (visible && sinceReport >= EVERY);
}

/** This load of the page: another page that is hidden does not end the presence at this one. */
const page = crypto.randomUUID();

/** Report at once; it is set while presence is watched. */
let reportAtOnce = () => {};

/** The connection was lost and is back: the server may believe that nobody is here. */
export function reportPresenceAgain(): void {
  reportAtOnce();
}

/** Report whether this page is seen and how long ago it was used; presence runs out there. Returns the way to stop. */
export function watchPresence(): () => void {
  let used = performance.now();
  let reported = Number.NEGATIVE_INFINITY;
  let reportedVisible: boolean | null = null;
  const report = () => {
    const now = performance.now();
    const visible = document.visibilityState === "visible";
    if (!shouldReport(visible, reportedVisible, now - reported)) return;
    [reported, reportedVisible] = [now, visible];
    const sign = { page, in_window: inWindow(), visible, idle_ms: Math.round(now - used) };
    // A heartbeat that is lost is followed by another; what is wrong is shown by the feed's own state.
    sessionPresence(sign).catch(() => (reportedVisible = null));
  };
  const note = () => {
    used = performance.now();
    report();
  };
  reportAtOnce = () => {
    reportedVisible = null;
    report();
  };
  const signs = ["pointerdown", "pointermove", "keydown", "wheel", "focus"] as const;
  for (const sign of signs) window.addEventListener(sign, note, { passive: true });
  document.addEventListener("visibilitychange", report);
  const timer = setInterval(report, EVERY);
  report();
  return () => {
    clearInterval(timer);
    document.removeEventListener("visibilitychange", report);
    for (const sign of signs) window.removeEventListener(sign, note);
  };
}
