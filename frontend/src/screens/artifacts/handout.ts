/** Leave the page with a content: into a file, or onto the clipboard. */

export function download(bytes: Uint8Array<ArrayBuffer>, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([bytes], { type: "application/octet-stream" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000); // the browser reads it after the click
}

/** Whether it is on the clipboard now. */
export function copy(text: string): Promise<boolean> {
  return navigator.clipboard.writeText(text).then(
    () => true,
    () => false,
  );
}
