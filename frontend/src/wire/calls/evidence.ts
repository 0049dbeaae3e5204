import { at, file, query } from "../client";

export const evidence = {
  /** The file as a `data:` URL; `of` is the id of the action, message or incident that names it. */
  picture: (campaign: string, of: string, name: string) =>
    file(`/campaigns/${at(campaign)}/evidence/${name.split("/").map(at).join("/")}${query({ of })}`),
};
