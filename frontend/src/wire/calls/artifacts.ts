import { at, get, post, query, send } from "../client";
import type { ArtifactPage, ArtifactSaved, ArtifactType, ArtifactView, PapersWritten, ProposedArtifact, SaveArtifact, SaveArtifactFile } from "../generated";

const all = (campaign: string) => `/campaigns/${at(campaign)}/artifacts`;
const one = (campaign: string, type: string, key: string, version: string) => `${all(campaign)}/${at(type)}/${at(key)}/${at(version)}`;

/** What is looked for; the times are ms UTC, `until` excluded. */
export interface Asked {
  words: string;
  type: ArtifactType | "";
  since: number | null;
  until: number | null;
}

/** A content as it arrived, and the digest that the store gave of it. */
export interface Received {
  bytes: Uint8Array<ArrayBuffer>;
  digest: string;
}

export const artifacts = {
  page: (campaign: string, asked: Asked, after: string | null) => get<ArtifactPage>(`${all(campaign)}${query({ ...asked, after })}`),
  view: (campaign: string, type: string, key: string, version: string) => get<ArtifactView>(one(campaign, type, key, version)),
  contentPath: (campaign: string, type: string, key: string, version: string) => `${one(campaign, type, key, version)}/content`,
  /** Raises RequestFailed. */
  async content(campaign: string, type: string, key: string, version: string): Promise<Received> {
    const response = await send(this.contentPath(campaign, type, key, version));
    return { bytes: new Uint8Array(await response.arrayBuffer()), digest: response.headers.get("Repr-Digest") ?? "" };
  },
  save: (campaign: string, wanted: SaveArtifact) => post<ArtifactSaved>(all(campaign), wanted),
  saveFile: (campaign: string, wanted: SaveArtifactFile) => post<ArtifactSaved>(`${all(campaign)}/from-file`, wanted),
  /** What the question is about, for as long as it is open. */
  proposed: (campaign: string, question: string) => get<ProposedArtifact>(`${all(campaign)}/proposed/${at(question)}`),
  writePapers: (campaign: string) => post<PapersWritten>(`${all(campaign)}/papers`, {}),
};
