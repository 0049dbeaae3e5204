import { get, post, query } from "../client";
import type { SoulCheck, SoulHistory, SoulSaved, SoulText, SoulView } from "../generated";

export const soul = {
  view: () => get<SoulView>("/soul"),
  history: (after: string | null) => get<SoulHistory>(`/soul/versions${query({ after })}`),
  version: (version: number) => get<SoulText>(`/soul/versions/${version}`),
  check: (text: string) => post<SoulCheck>("/soul/check", { text }),
  save: (text: string, follows: number) => post<SoulSaved>("/soul", { text, follows }),
  restore: (version: number, follows: number) => post<SoulSaved>("/soul/restore", { version, follows }),
};
