import { isError, RequestFailed } from "./errors";
import type { ErrorShape } from "./generated";
import { awaitToken, currentToken } from "./token";

const OFFLINE: ErrorShape = {
  code: "not_reachable",
  sentence: "Outrider is not responding.",
  remedy: "If it was closed, start it again. Nothing was lost.",
};

/** What follows the "?" of an address; what is empty is left out. */
export type QueryValues = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** What an endpoint may be asked for; what is left out or empty is as the API has it. */
export type Query<Asked> = { readonly [Name in keyof Asked]?: Asked[Name] | "" | null | undefined };

/** A file's content as it arrived, and the digest that the store gave of it. */
export interface ReceivedBytes {
  bytes: Uint8Array<ArrayBuffer>;
  digest: string;
}

/** The request that a failure answered, and who is told of each request that worked. */
const answered = new WeakMap<ErrorShape, string>();
const listeners = new Set<(request: string) => void>();

/** The request that failed with this: its method, its path and what its body names by an id; undefined for no request's. */
export const requestOf = (failure: ErrorShape): string | undefined => answered.get(failure);

/** Be told of each request that worked, as `requestOf` names it. */
export const onSuccess = (listener: (request: string) => void): unknown => listeners.add(listener);

interface Sent {
  query?: QueryValues;
  body?: object;
}

/** Call an endpoint of the API; its answer when it is good. Raises RequestFailed. */
export async function call<Result>(method: "GET" | "POST" | "DELETE", path: string, sent: Sent = {}): Promise<Result> {
  const body = method === "GET" ? undefined : JSON.stringify(sent.body ?? {});
  return request(method, withQuery(path, sent.query ?? {}), answerOf<Result>, body === undefined ? {} : { body, names: idsIn(sent.body ?? {}) });
}

/** Read a file as it is. Raises RequestFailed. */
export const callForBytes = (path: string): Promise<ReceivedBytes> =>
  request("GET", path, async (response) => ({
    bytes: new Uint8Array(await response.arrayBuffer()),
    digest: response.headers.get("Repr-Digest") ?? "",
  }));

/** Read a file; `brokenOff` is the error of one that does not arrive completely. Raises RequestFailed. */
export const callForBlob = (path: string, brokenOff = OFFLINE): Promise<Blob> =>
  request("GET", path, (response) => response.blob(), { brokenOff });

/** Read a file as a `data:` URL, which is what the page's policy lets a picture have. Raises RequestFailed. */
export async function callForDataUrl(path: string): Promise<string> {
  const blob = await callForBlob(path);
  return new Promise((resolve) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.readAsDataURL(blob);
  });
}

/** Hand over a file's bytes; the endpoint's answer when it is good. Raises RequestFailed. */
export const callWithFile = <Result>(path: string, file: Blob): Promise<Result> =>
  request("POST", path, answerOf<Result>, { body: file, type: "application/octet-stream" });

const answerOf = async <Result>(response: Response): Promise<Result> =>
  (response.status === 204 ? undefined : await response.json()) as Result;

const idsIn = (body: object): string => JSON.stringify(Object.entries(body).filter(([name]) => /(^|_)ids?$/.test(name)));

/** Send a request with this launch's token, and read its answer when it is good. Raises RequestFailed. */
async function request<Result>(
  method: "GET" | "POST" | "DELETE",
  path: string,
  read: (response: Response) => Promise<Result>,
  { body, names = "", type = "application/json", brokenOff = OFFLINE }: { body?: BodyInit; names?: string; type?: string; brokenOff?: ErrorShape } = {},
): Promise<Result> {
  const headers: Record<string, string> = { "X-Outrider-Token": path === "/session" ? currentToken() : await awaitToken() }; // the session is what the others wait for
  const init: RequestInit = { method, headers, credentials: "omit", redirect: "error" };
  if (body !== undefined) {
    headers["Content-Type"] = type;
    init.body = body;
  }
  const asked = `${method} ${path} ${names}`;
  const failed = (shape: ErrorShape, status = 0): RequestFailed => {
    const failure = { ...shape };
    answered.set(failure, asked);
    return new RequestFailed(failure, status);
  };
  const failing = (shape: ErrorShape) => (): never => {
    throw failed(shape);
  };
  const response = await fetch(`/api${path}`, init).catch(failing(OFFLINE));
  // An answer that breaks off is none: the caller must not take it for an empty one.
  if (response.ok) {
    const result = await read(response).catch(failing(brokenOff));
    for (const listener of listeners) listener(asked);
    return result;
  }
  const answer: unknown = await response.json().catch(() => null);
  throw failed(isError(answer) ? answer : { ...OFFLINE, code: `http_${response.status}` }, response.status);
}

/** An identifier as part of a path. */
export const at = encodeURIComponent;

/** A path with its query. */
export function withQuery(path: string, query: QueryValues): string {
  const parameters = Object.entries(query).filter(([, value]) => value !== null && value !== undefined && value !== "");
  if (parameters.length === 0) return path;
  return `${path}?${new URLSearchParams(parameters.map(([name, value]) => [name, String(value)])).toString()}`;
}
