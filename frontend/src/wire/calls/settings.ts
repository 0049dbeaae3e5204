import { get, post, query } from "../client";
import type { Diagnosis, Done, Forbid, ForbiddenList, Preferences, SettingsView } from "../generated";

export const settings = {
  view: () => get<SettingsView>("/settings"),
  clearProfile: () => post<void>("/settings/profile/clear", {}),
  preferences: () => get<Preferences>("/preferences"),
  prefer: (wanted: Preferences) => post<Preferences>("/preferences", wanted),
  examine: () => post<Diagnosis>("/diagnostics", {}),
  forbidden: (after: string | null) => get<ForbiddenList>(`/do-not-contact${query({ after })}`),
  forbid: (wanted: Forbid) => post<Done>("/do-not-contact", wanted),
  allow: (id: string) => post<Done>("/do-not-contact/remove", { id }),
};
