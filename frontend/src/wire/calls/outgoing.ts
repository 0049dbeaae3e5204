import { get } from "../client";
import type { OutgoingView } from "../generated";

export const outgoing = { view: () => get<OutgoingView>("/outgoing") };
