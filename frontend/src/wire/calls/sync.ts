import { at, get, post } from "../client";
import type { AskCode, Choose, EnterCode, ProjectAddress, ProjectCheck, ProjectView, SetAsideList, SignedIn, SignIn, SyncState } from "../generated";

export const sync = {
  view: () => get<ProjectView>("/sync"),
  check: (project: ProjectAddress) => post<ProjectCheck>("/sync/check", project),
  signIn: (wanted: SignIn) => post<SignedIn>("/sync/sign-in", wanted),
  askCode: (wanted: AskCode) => post<SignedIn>("/sync/code", wanted),
  enterCode: (wanted: EnterCode) => post<SignedIn>("/sync/enter-code", wanted),
  signOut: () => post<ProjectView>("/sync/sign-out", {}),
  detach: () => post<ProjectView>("/sync/detach", {}),
  takeOver: () => post<SyncState>("/sync/take-over", {}),
  now: () => post<SyncState>("/sync/now", {}),
  setAside: () => get<SetAsideList>("/sync/set-aside"),
  choose: (id: string, choice: Choose["choice"]) => post<SetAsideList>(`/sync/set-aside/${at(id)}`, { choice }),
};
