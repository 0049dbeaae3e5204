import { session } from "../wire/calls/session";

const EVERY = 15_000;
const RECENT = 60_000;

/** Whether to tell the server now: only for a page that is seen and was used lately, and not for each movement. */
export function shouldTell(visible: boolean, idle: number, sinceTold: number): boolean {
  return visible && idle < RECENT && sinceTold >= EVERY;
}

/** Watch for signs of the user and tell the server; presence runs out there by itself. Returns the way to stop. */
export function watchPresence(): () => void {
  let used = performance.now();
  let told = Number.NEGATIVE_INFINITY;
  const tell = () => {
    const now = performance.now();
    if (!shouldTell(document.visibilityState === "visible", now - used, now - told)) return;
    told = now;
    // A heartbeat that is lost is followed by another; what is wrong is shown by the feed's own state.
    session.presence(Math.round(now - used)).catch(() => (told = Number.NEGATIVE_INFINITY));
  };
  const note = () => {
    used = performance.now();
    tell();
  };
  const signs = ["pointerdown", "pointermove", "keydown", "wheel", "focus"] as const;
  for (const sign of signs) window.addEventListener(sign, note, { passive: true });
  const timer = setInterval(tell, EVERY);
  tell();
  return () => {
    clearInterval(timer);
    for (const sign of signs) window.removeEventListener(sign, note);
  };
}
