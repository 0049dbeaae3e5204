import { at, get, query } from "../client";
import type { TaskDetail, TaskPage, TaskStatus } from "../generated";

const under = (campaign: string) => `/campaigns/${at(campaign)}/tasks`;

export const tasks = {
  page: (campaign: string, status: TaskStatus | null, after: string | null) =>
    get<TaskPage>(`${under(campaign)}${query({ status, after })}`),
  one: (campaign: string, id: string) => get<TaskDetail>(`${under(campaign)}/${at(id)}`),
};
