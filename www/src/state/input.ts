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

/** Not yet in the compiler's library. */
interface Handle {
  kind: "file" | "directory";
  name: string;
  getFile?(): Promise<File>;
  values?(): AsyncIterable<Handle>;
}

/** Files of a drop or a paste, folders walked. Must be called while the event is being handled. */
export async function fromTransfer(data: DataTransfer): Promise<Source[]> {
  // Everything is asked for at once: after the event an item tells nothing. A page opened from file:// may walk
  // folders by handles only; other browsers know entries only.
  const items = Array.from(data.items)
    .filter((item) => item.kind === "file")
    .map((item) => ({
      handle: (item as DataTransferItem & { getAsFileSystemHandle?(): Promise<Handle | null> }).getAsFileSystemHandle?.().catch(() => null),
      entry: item.webkitGetAsEntry?.() ?? null,
      file: item.getAsFile(),
    }));
  const found: Source[] = [];
  for (const { handle, entry, file } of items) {
    const from = await handle;
    if (from?.kind === "directory") await walkHandle(from, found);
    else if (entry?.isDirectory) await walkEntry(entry, found);
    else if (file) found.push(source(file, file.name));
  }
  return found.slice(0, MOST_FILES);
}

async function walkHandle(root: Handle, found: Source[]): Promise<void> {
  // An explicit stack, so that a folder of any depth is fine.
  const todo: [Handle, string][] = [[root, root.name]];
  while (todo.length > 0 && found.length < MOST_FILES) {
    const [handle, path] = todo.shift() as [Handle, string];
    try {
      if (handle.kind === "file") {
        const file = await handle.getFile?.();
        if (file) found.push(source(file, path));
      } else if (handle.values) {
        for await (const inner of handle.values()) if (!inner.name.startsWith(".")) todo.push([inner, `${path}/${inner.name}`]);
      }
    } catch {
      // What cannot be read (a broken link, no permission) does not keep the others out.
    }
  }
}

async function walkEntry(root: FileSystemEntry, found: Source[]): Promise<void> {
  const todo: FileSystemEntry[] = [root];
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
      // As above.
    }
  }
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
