import { at, get, query } from "../client";
import type { ThreadLine, ThreadPage, ThreadView } from "../generated";

const threads = (campaign: string) => `/campaigns/${at(campaign)}/threads`;

export const inbox = {
  threads: (campaign: string, which: { state: ThreadLine["state"] | ""; name: string }, after: string | null, limit: number) =>
    get<ThreadPage>(threads(campaign) + query({ ...which, after, limit })),
  thread: (campaign: string, lead: string) => get<ThreadView>(`${threads(campaign)}/${at(lead)}`),
};
