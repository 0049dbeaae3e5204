import { at, get, post } from "../client";
import type { KeepKey, KeysView, RecoveryKit } from "../generated";

export const keys = {
  view: () => get<KeysView>("/keys"),
  keep: (name: string, kept: KeepKey) => post<KeysView>(`/keys/${at(name)}`, kept),
  forget: (name: string) => post<KeysView>(`/keys/${at(name)}/forget`, {}),
  unlock: (passphrase: string, code: string | null) => post<KeysView>("/vault/unlock", { passphrase, code }),
  makeKit: (passphrase: string) => post<RecoveryKit>("/vault/kit", { passphrase }),
  revoke: (device_id: string, passphrase: string) => post<RecoveryKit>("/vault/revoke", { device_id, passphrase }),
};
