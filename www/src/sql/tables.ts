// The database of a file, for asking as well as for saving. The module that every page loads makes none, so the file is
// read once more by a worker of the other one, which is ended when the tables are made.

import { CoreError, takeCore } from "../core/client";
import type { Core } from "../core/client";
import { find, readInto } from "../state/files";
import type { FileEntry, Status } from "../state/files";
import { Cancelled } from "./client";

/** How far making the tables has come: a part of reading, then the bytes written. */
export type Step = { is: "reading"; share: number } | { is: "writing"; bytes: number };

interface Made {
  key: string;
  database: Promise<Blob>;
  core: Core;
  told: (step: Step) => void;
}

/** By what a file's status was when it had been read: closing it or reading it again makes another. */
const made = new WeakMap<Status, Made>();

/**
 * The tables of a file as it was read; with `strip` they name no directories and no users. Who asks again while they
 * are being made waits for the same, and is told instead of the one before.
 */
export function databaseOf(file: FileEntry, strip: boolean, told: (step: Step) => void): Promise<Blob> {
  const key = `${file.revision} ${strip}`;
  const known = made.get(file.status);
  if (known?.key === key) {
    known.told = told;
    return known.database;
  }
  // One is kept: it may be as large as the file itself.
  known?.core.terminate();
  const core = takeCore(true);
  const making: Made = { key, core, told, database: Promise.resolve(new Blob()) };
  making.database = make(file, strip, core, (step) => {
    if (find(file.key)?.status === file.status) making.told(step);
    else core.terminate();
  });
  made.set(file.status, making);
  // What failed may be asked for again.
  making.database.catch(() => made.get(file.status) === making && made.delete(file.status));
  return making.database;
}

/** Ends the making of a file's tables, where it is under way. */
export function stopMaking(file: FileEntry): void {
  made.get(file.status)?.core.terminate();
}

async function make(file: FileEntry, strip: boolean, core: Core, told: (step: Step) => void): Promise<Blob> {
  try {
    told({ is: "reading", share: 0 });
    await readInto(core, file, (read) => told({ is: "reading", share: read / Math.max(1, file.size) }));
    told({ is: "writing", bytes: 0 });
    const name = strip ? file.name : file.path;
    const { blob } = await core.query(0, { type: "export", format: "sqlite", name }, "export", [], strip, ({ read }) => told({ is: "writing", bytes: read }));
    return blob;
  } catch (error) {
    throw error instanceof CoreError && error.wire.kind === "cancelled" ? new Cancelled() : error;
  } finally {
    core.terminate();
  }
}

/** The name of a file's database, as the terminal names it: another ending; a folder's name stays whole. */
export function databaseName(file: FileEntry): string {
  const isFolder = file.profile !== null && file.profile.folder !== "";
  return `${isFolder ? file.name : file.name.replace(/(?<=.)\.[^.]*$/, "")}.db`;
}
