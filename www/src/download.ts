// Files that the page hands to its user.

/** Saves bytes or a text under a name. */
export function download(name: string, data: BlobPart | readonly BlobPart[], type: string): void {
  const parts = Array.isArray(data) ? (data as BlobPart[]) : [data as BlobPart];
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob(parts, { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
