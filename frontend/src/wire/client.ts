import { isError, RequestFailed } from "./failed";
import type { CampaignList, CampaignView, Done, ErrorShape, Paired, SessionView } from "./generated";
import { currentToken } from "./token";

export { RequestFailed } from "./failed";

const OFFLINE: ErrorShape = {
  code: "not_reachable",
  sentence: "Outrider does not answer.",
  remedy: "If it was closed, start it again; nothing was lost.",
};

/** GET, or POST when there is a body; the answer when it is good. Raises RequestFailed. */
export async function send(path: string, body?: BodyInit, type = "application/json"): Promise<Response> {
  const headers: Record<string, string> = { "X-Outrider-Token": currentToken() };
  const init: RequestInit = { headers, credentials: "omit", redirect: "error" };
  if (body !== undefined) {
    headers["Content-Type"] = type;
    init.method = "POST";
    init.body = body;
  }
  let response: Response;
  try {
    response = await fetch(`/api${path}`, init);
  } catch {
    throw new RequestFailed(OFFLINE, 0);
  }
  if (response.ok) return response;
  const answer: unknown = await response.json().catch(() => null);
  throw new RequestFailed(isError(answer) ? answer : { ...OFFLINE, code: `http_${response.status}` }, response.status);
}

export async function request<T>(path: string, body?: object): Promise<T> {
  const response = await send(path, body && JSON.stringify(body));
  if (response.status === 204) return undefined as T;
  return (await response.json().catch(() => null)) as T;
}

const at = encodeURIComponent;

export const api = {
  pair: (code: string) => request<Paired>("/pair", { code }),
  session: () => request<SessionView>("/session"),
  presence: (idle_ms: number) => request<void>("/presence", { idle_ms }),
  campaigns: () => request<CampaignList>("/campaigns"),
  campaign: (id: string) => request<CampaignView>(`/campaigns/${at(id)}`),
  rehearse: () => request<Done>("/rehearsals", {}),
  start: (id: string) => request<Done>(`/campaigns/${at(id)}/start`, {}),
  stop: (id: string) => request<Done>(`/campaigns/${at(id)}/stop`, {}),
  recover: (id: string, reason: string) => request<Done>(`/campaigns/${at(id)}/recover`, { reason }),
  clearIncident: (id: string, reason: string) => request<Done>(`/campaigns/${at(id)}/incidents/clear`, { reason }),
  answer: (id: string, question: string, answer: string) =>
    request<Done>(`/campaigns/${at(id)}/questions/${at(question)}/answer`, { answer }),
  approve: (id: string, draft: string, digest: string) =>
    request<Done>(`/campaigns/${at(id)}/drafts/${at(draft)}/approve`, { digest }),
  edit: (id: string, draft: string, text: string) => request<Done>(`/campaigns/${at(id)}/drafts/${at(draft)}/edit`, { text }),
  reject: (id: string, draft: string) => request<Done>(`/campaigns/${at(id)}/drafts/${at(draft)}/reject`, {}),
};
