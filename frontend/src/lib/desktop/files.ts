import { uploadsKeepPath } from "../api/calls";
import { call, callForBlob, callWithFile } from "../api/client";
import { RequestFailed } from "../api/errors";
import type { Offered, Written } from "../api/generated";
import { inWindow, native } from "./native";

/** Files in and out: in Outrider's window by the system's dialogs, in a plain browser by upload and download. */

const MOST_BYTES = 64 * 1024 * 1024;
const ACCEPTED = {
  leads: ".csv,.xlsx,.zip,text/csv,application/zip,application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  skill: ".zip,.md,application/zip,text/markdown",
  backup: ".db,application/vnd.sqlite3",
  any: "",
};

const SPLIT = "Choose a smaller file, or split it.";
const REMEDIES: Partial<Record<keyof typeof ACCEPTED, string>> = {
  backup: "Choose it in Outrider's own window, or close Outrider and run `outrider restore FILE`.",
};

/** Let the user choose a file to read; null if they do not. Raises RequestFailed. */
export async function pickFile(kind: keyof typeof ACCEPTED): Promise<Offered | null> {
  if (inWindow()) return (await native()).open_file({ kind });
  const file = await choose(ACCEPTED[kind]);
  return file === null ? null : uploadFile(file, REMEDIES[kind]);
}

/** Let the user choose a folder to read, in Outrider's window; null if they do not. Raises RequestFailed. */
export const pickFolder = async (): Promise<Offered | null> => (await native()).open_folder();

/** Hand over a file that was dropped on the page or chosen in it. Raises RequestFailed. */
export async function uploadFile(file: File, remedy = SPLIT): Promise<Offered> {
  if (file.size > MOST_BYTES) throw new RequestFailed(tooLarge(file, remedy), 413);
  return callWithFile<Offered>(uploadsKeepPath({ name: file.name }), file);
}

/** Save the export at this address of the API ("/campaigns/…/export"); null if the user does not. Raises RequestFailed. */
export async function saveExport(path: string, suggested: string): Promise<Written | null> {
  if (inWindow()) {
    const destination = await (await native()).save_file({ suggested });
    return destination === null ? null : call<Written>("POST", path, { body: destination });
  }
  const content = await callForBlob(path, BROKEN_OFF);
  download(content, suggested);
  return { name: suggested, size: content.size };
}

function choose(accept: string): Promise<File | null> {
  return new Promise((resolve) => {
    const input = document.createElement("input");
    input.type = "file";
    input.accept = accept;
    input.addEventListener("change", () => resolve(input.files?.[0] ?? null), { once: true });
    input.addEventListener("cancel", () => resolve(null), { once: true });
    input.click();
  });
}

function download(content: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000); // the browser reads it after the click
}

const BROKEN_OFF = {
  code: "export_broken_off",
  sentence: "The file did not arrive completely.",
  remedy: "Nothing was saved; try again.",
};

function tooLarge(file: File, remedy: string) {
  return {
    code: "request_too_large",
    sentence: `${file.name} has ${Math.ceil(file.size / 1024 / 1024)} MB; the limit is ${MOST_BYTES / 1024 / 1024} MB.`,
    remedy,
  };
}
