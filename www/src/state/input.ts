// How files come in: dropped (folders are walked), picked, pasted, handed over by another page, or
// fetched from the page's own origin.

import type { Source } from "../core/protocol";

/** Beyond this a dropped folder is surely not what was meant. */
const MOST_FILES = 4096;

function source(file: File, path: string): Source {
  return { name: file.name, path: path || file.name, blob: file };
}

/** Files of a picker; one for folders gives each file its path. */
export function fromList(list: FileList | readonly File[]): Source[] {
  return Array.from(list, (file) => source(file, file.webkitRelativePath || file.name)).slice(0, MOST_FILES);
}

/** Files of a drop or a paste, folders walked. Must be called while the event is being handled. */
export async function fromTransfer(data: DataTransfer): Promise<Source[]> {
  const entries = Array.from(data.items)
    .filter((item) => item.kind === "file")
    .map((item) => item.webkitGetAsEntry?.() ?? item.getAsFile());
  const found: Source[] = [];
  // An explicit stack, so that a folder of any depth is fine.
  const todo: FileSystemEntry[] = [];
  for (const entry of entries) {
    if (entry instanceof File) found.push(source(entry, entry.name));
    else if (entry) todo.push(entry);
  }
  while (todo.length > 0 && found.length < MOST_FILES) {
    const entry = todo.shift() as FileSystemEntry;
    try {
      if (entry.isFile) {
        const file = await new Promise<File>((done, fail) => (entry as FileSystemFileEntry).file(done, fail));
        found.push(source(file, entry.fullPath.replace(/^\//, "")));
      } else if (entry.isDirectory) {
        const reader = (entry as FileSystemDirectoryEntry).createReader();
        for (;;) {
          // A reader gives about a hundred entries a call and an empty list at the end.
          const batch = await new Promise<FileSystemEntry[]>((done, fail) => reader.readEntries(done, fail));
          if (batch.length === 0) break;
          todo.push(...batch.filter((inner) => !inner.name.startsWith(".")));
        }
      }
    } catch {
      // An entry that cannot be read (a broken link, no permission) does not keep the others out.
    }
  }
  return found;
}

/** A file of the page's own origin, for `#url=` on a hosted page. */
export async function fromUrl(address: string): Promise<Source> {
  const url = new URL(address, location.href);
  if (url.origin !== location.origin || location.origin === "null" || location.protocol === "file:") throw new Error("origin");
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${response.status} ${response.statusText}`);
  const name = decodeURIComponent(url.pathname.split("/").pop() || "file");
  return { name, path: name, blob: await response.blob() };
}
