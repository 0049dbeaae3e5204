import { at, get, post } from "../client";
import type { SkillInstalled, SkillList, SkillView } from "../generated";

const one = (id: string) => `/skills/${at(id)}`;

export const skills = {
  list: () => get<SkillList>("/skills"),
  view: (id: string) => get<SkillView>(one(id)),
  install: (ticket: string) => post<SkillInstalled>("/skills", { ticket }),
  approve: (id: string, hash: string) => post<void>(`${one(id)}/approve`, { source_hash: hash }),
  enable: (id: string) => post<void>(`${one(id)}/enable`, {}),
  disable: (id: string) => post<void>(`${one(id)}/disable`, {}),
  remove: (id: string) => post<void>(`${one(id)}/remove`, {}),
  restore: (id: string) => post<void>(`${one(id)}/restore`, {}),
};
