import { at, post } from "../client";
import type { Done } from "../generated";

export const runs = {
  rehearse: () => post<Done>("/rehearsals", {}),
  start: (id: string) => post<Done>(`/campaigns/${at(id)}/start`, {}),
  stop: (id: string) => post<Done>(`/campaigns/${at(id)}/stop`, {}),
};
