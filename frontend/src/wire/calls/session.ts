import { get, post } from "../client";
import type { Paired, SessionView } from "../generated";

export const session = {
  pair: (code: string) => post<Paired>("/pair", { code }),
  view: () => get<SessionView>("/session"),
};
