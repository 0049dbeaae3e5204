import { request } from "../wire/client";

const EVERY = 15_000;

/** Whether to tell the server now: at once when the page was hidden or shown, else now and then while it is seen. */
export function shouldTell(visible: boolean, toldVisible: boolean | null, sinceTold: number): boolean {
  return visible !== toldVisible || (visible && sinceTold >= EVERY);
}

/** This load of the page: another page that is hidden does not end the presence at this one. */
const page = crypto.randomUUID();

/** Tell the server at once; it is set while presence is watched. */
let tellAtOnce = () => {};

/** The connection was lost and is back: the server may believe that nobody is here. */
export function presenceAgain(): void {
  tellAtOnce();
}

/** Tell the server whether this page is seen and how long ago it was used; presence runs out there. Returns the way to stop. */
export function watchPresence(): () => void {
  let used = performance.now();
  let told = Number.NEGATIVE_INFINITY;
  let toldVisible: boolean | null = null;
  const tell = () => {
    const now = performance.now();
    const visible = document.visibilityState === "visible";
    if (!shouldTell(visible, toldVisible, now - told)) return;
    [told, toldVisible] = [now, visible];
    const sign = { page, visible, idle_ms: Math.round(now - used) };
    // A heartbeat that is lost is followed by another; what is wrong is shown by the feed's own state.
    request("/presence", sign).catch(() => (toldVisible = null));
  };
  const note = () => {
    used = performance.now();
    tell();
  };
  tellAtOnce = () => {
    toldVisible = null;
    tell();
  };
  const signs = ["pointerdown", "pointermove", "keydown", "wheel", "focus"] as const;
  for (const sign of signs) window.addEventListener(sign, note, { passive: true });
  document.addEventListener("visibilitychange", tell);
  const timer = setInterval(tell, EVERY);
  tell();
  return () => {
    clearInterval(timer);
    document.removeEventListener("visibilitychange", tell);
    for (const sign of signs) window.removeEventListener(sign, note);
  };
}
