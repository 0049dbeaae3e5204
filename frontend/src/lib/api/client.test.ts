import { beforeEach, expect, it, vi } from "vitest";
import { call, callForBlob, callForBytes, callForDataUrl, callWithFile } from "./client";
import { RequestFailed } from "./errors";

const OFFLINE = { code: "not_reachable", sentence: "Outrider is not responding.", remedy: "If it was closed, start it again. Nothing was lost." };
const CALLS = {
  call: () => call("GET", "/version"),
  bytes: () => callForBytes("/file"),
  blob: () => callForBlob("/file"),
  picture: () => callForDataUrl("/file"),
  file: () => callWithFile("/uploads", new Blob(["text"])),
};

/** An answer whose first half arrived when Outrider was ended. */
function brokenOff(): Response {
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode('{"half":'));
      controller.error(new TypeError("Failed to fetch"));
    },
  });
  return new Response(body);
}

const fetched = vi.fn<typeof fetch>();
beforeEach(() => {
  vi.stubGlobal("fetch", fetched);
  vi.stubGlobal("location", { search: "" });
});

it.each(Object.entries(CALLS))("%s: an answer that does not come, or breaks off, is a coded error", async (_name, made) => {
  fetched.mockRejectedValueOnce(new TypeError("Failed to fetch"));
  await expect(made()).rejects.toEqual(new RequestFailed(OFFLINE, 0));
  fetched.mockResolvedValueOnce(brokenOff());
  await expect(made()).rejects.toEqual(new RequestFailed(OFFLINE, 0));
});

it("says of a file what whoever saves it says of one that breaks off", async () => {
  const shape = { code: "export_broken_off", sentence: "Not whole.", remedy: "Again." };
  fetched.mockResolvedValueOnce(brokenOff());
  await expect(callForBlob("/file", shape)).rejects.toEqual(new RequestFailed(shape, 0));
});

it.each(Object.entries(CALLS))("%s: a refusal keeps its code", async (_name, made) => {
  const shape = { code: "artifact_damaged", sentence: "No.", remedy: "Another." };
  fetched.mockResolvedValueOnce(Response.json(shape, { status: 409 }));
  await expect(made()).rejects.toEqual(new RequestFailed(shape, 409));
});

it("reads what arrived, and nothing where there is nothing", async () => {
  fetched.mockResolvedValueOnce(new Response(null, { status: 204 }));
  expect(await call("POST", "/forget")).toBeUndefined();
  fetched.mockResolvedValueOnce(new Response("content", { headers: { "Repr-Digest": "sha-256=:x:" } }));
  expect(await callForBytes("/file")).toEqual({ bytes: new TextEncoder().encode("content"), digest: "sha-256=:x:" });
});
