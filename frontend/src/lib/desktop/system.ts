import { RequestFailed } from "../api/errors";
import { inWindow, native } from "./native";

/** What leaves the page: links, the clipboard, notifications. In Outrider's window by its functions, else by the browser's. */

/** An address's host as a person should read it, or null for what may not be opened, or leads nowhere: .example is reserved. */
export function hostOf(address: string): string | null {
  if (!URL.canParse(address)) return null;
  const url = new URL(address);
  const web = (url.protocol === "https:" || url.protocol === "http:") && url.username === "" && url.password === "";
  return web && !url.hostname.endsWith(".example") ? url.host : null;
}

/** Open an http or https address in the user's own browser. Raises RequestFailed. */
export async function openLink(url: string): Promise<void> {
  if (inWindow()) await (await native()).open_link({ url });
  else if (hostOf(url) === null) throw new RequestFailed(REFUSED, 0);
  else window.open(url, "_blank", "noopener,noreferrer");
}

/** Put a text on the clipboard. Raises RequestFailed. */
export async function copyText(text: string): Promise<void> {
  if (inWindow()) await (await native()).copy_text({ text });
  else
    await navigator.clipboard.writeText(text).catch(() => {
      throw new RequestFailed(NOT_COPIED, 0);
    });
}

/**
 * Show a notification, where the user lets us; it is only a hint, so it is no error when it cannot be shown. In a browser a click
 * on it leads to `link`.
 */
export async function notify(title: string, text: string, link = ""): Promise<void> {
  if (inWindow()) await (await native()).notify({ title: oneLine(title), text }).catch(() => null);
  else if (mayNotify()) showInBrowser(title, text, link);
}

/** Whether the user lets this browser show notifications; of the window only its system knows. */
export const mayNotify = (): boolean => inWindow() || ("Notification" in window && Notification.permission === "granted");

/** Show one to see whether it can be shown; a browser asks the user for leave. Raises RequestFailed. */
export async function tryNotification(title: string, text: string): Promise<void> {
  if (inWindow()) await (await native()).notify({ title, text });
  else if ("Notification" in window && (await Notification.requestPermission()) === "granted") showInBrowser(title, text, "");
  else throw new RequestFailed(NOT_NOTIFIED, 0);
}

// By their words, so that two tabs of one browser show it once.
function showInBrowser(title: string, text: string, link: string): void {
  new Notification(title, { body: text, tag: `${title} ${link}` }).onclick = () => {
    window.focus();
    if (link !== "") location.hash = link;
  };
}

const oneLine = (text: string): string => text.replace(/\p{Cc}+/gu, " ").slice(0, 200);

const REFUSED = {
  code: "link_refused",
  sentence: "The link does not lead to the web, so it was not opened.",
  remedy: "Copy it, if you trust it, and open it yourself.",
};

const NOT_NOTIFIED = {
  code: "notice_refused",
  sentence: "This browser does not let Outrider show notifications.",
  remedy: "Allow notifications for this address in the browser's settings, then try again. The number in the title is shown anyway.",
};

const NOT_COPIED = {
  code: "copy_refused",
  sentence: "The browser did not allow copying.",
  remedy: "Select it and copy it yourself.",
};
