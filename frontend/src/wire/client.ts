import { isError, RequestFailed } from "./failed";
import type { ErrorShape } from "./generated";
import { currentToken } from "./token";

export { RequestFailed } from "./failed";

const OFFLINE: ErrorShape = {
  code: "not_reachable",
  sentence: "Outrider does not answer.",
  remedy: "If it was closed, start it again; nothing was lost.",
};

/** GET, or POST when there is a body, or as `method` says; the answer when it is good. Raises RequestFailed. */
export async function send(path: string, body?: BodyInit, type = "application/json", method?: string): Promise<Response> {
  const headers: Record<string, string> = { "X-Outrider-Token": currentToken() };
  const init: RequestInit = { headers, credentials: "omit", redirect: "error" };
  if (body !== undefined) {
    headers["Content-Type"] = type;
    init.method = "POST";
    init.body = body;
  }
  if (method !== undefined) init.method = method;
  const response = await fetch(`/api${path}`, init).catch(() => {
    throw new RequestFailed(OFFLINE, 0);
  });
  if (response.ok) return response;
  const answer: unknown = await response.json().catch(() => null);
  throw new RequestFailed(isError(answer) ? answer : { ...OFFLINE, code: `http_${response.status}` }, response.status);
}

export async function request<T>(path: string, body?: object, method?: string): Promise<T> {
  const response = await send(path, body && JSON.stringify(body), undefined, method);
  if (response.status === 204) return undefined as T;
  // An answer that breaks off is none: whoever asked must not take it for "nothing".
  return (await response.json().catch(() => {
    throw new RequestFailed(OFFLINE, 0);
  })) as T;
}

/** An identifier as part of a path. */
export const at = encodeURIComponent;

/** Read. Raises RequestFailed. */
export const get = <T>(path: string) => request<T>(path);

/** Command. Raises RequestFailed. */
export const post = <T>(path: string, body: object) => request<T>(path, body);

/** Take away. Raises RequestFailed. */
export const remove = <T>(path: string) => request<T>(path, {}, "DELETE");

/** A file as a `data:` URL, which is what the page's policy lets a picture have. Raises RequestFailed. */
export async function file(path: string): Promise<string> {
  const blob = await (await send(path)).blob();
  return new Promise((resolve) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.readAsDataURL(blob);
  });
}

/** A path's query; what is empty is left out. */
export function query(given: Record<string, string | number | null | undefined>): string {
  const kept = Object.entries(given).filter(([, value]) => value !== null && value !== undefined && value !== "");
  return kept.length === 0 ? "" : `?${new URLSearchParams(kept.map(([name, value]) => [name, String(value)])).toString()}`;
}
