import type { ErrorShape } from "./generated";
import { currentToken } from "./token";

/** A request that failed, with the server's stable code, what happened and what to do. */
export class RequestFailed extends Error {
  constructor(
    readonly shape: ErrorShape,
    readonly status: number,
  ) {
    super(shape.sentence);
  }
}

const OFFLINE: ErrorShape = {
  code: "not_reachable",
  sentence: "Outrider does not answer.",
  remedy: "If it was closed, start it again; nothing was lost.",
};

async function fetched(path: string, body?: object): Promise<Response> {
  const headers: Record<string, string> = { "X-Outrider-Token": currentToken() };
  const init: RequestInit = { headers, credentials: "omit", redirect: "error" };
  if (body !== undefined) {
    headers["Content-Type"] = "application/json";
    init.method = "POST";
    init.body = JSON.stringify(body);
  }
  const response = await fetch(`/api${path}`, init).catch(() => {
    throw new RequestFailed(OFFLINE, 0);
  });
  if (response.ok) return response;
  const answer: unknown = await response.json().catch(() => null);
  throw new RequestFailed(isError(answer) ? answer : { ...OFFLINE, code: `http_${response.status}` }, response.status);
}

async function request<T>(path: string, body?: object): Promise<T> {
  const response = await fetched(path, body);
  return (response.status === 204 ? undefined : await response.json().catch(() => null)) as T;
}

function isError(answer: unknown): answer is ErrorShape {
  return typeof answer === "object" && answer !== null && "code" in answer && "sentence" in answer && "remedy" in answer;
}

/** An identifier as part of a path. */
export const at = encodeURIComponent;

/** Read. Raises RequestFailed. */
export const get = <T>(path: string) => request<T>(path);

/** Command. Raises RequestFailed. */
export const post = <T>(path: string, body: object) => request<T>(path, body);

/** A file as a `data:` URL, which is what the page's policy lets a picture have. Raises RequestFailed. */
export async function file(path: string): Promise<string> {
  const blob = await (await fetched(path)).blob();
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
