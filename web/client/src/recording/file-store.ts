/**
 * Keeps parts in the browser's private files (OPFS): a directory for each recording, a file for
 * each part. The files hold encrypted data only, and the secret to upload it.
 */
import { type PartStore, StoreFull, type UploadNote, type WaitingPart } from "./part-store.js";

const root = "conclave-recordings";
/** The first note, and the one that says how many parts there are. A file that is written again is
 * empty for a moment, and without any note the parts would be deleted. So each has its own file. */
const noteFile = "note.json";
const endFile = "end.json";
const indexFile = "index";

/** Only workers have this, so TypeScript's library for pages lacks it. */
interface SyncAccess {
  readonly write: (bytes: Uint8Array, options?: { readonly at: number }) => number;
  readonly truncate: (size: number) => void;
  readonly flush: () => void;
  readonly close: () => void;
}
type SyncFileHandle = FileSystemFileHandle & {
  readonly createSyncAccessHandle?: () => Promise<SyncAccess>;
};

/** The recordings that still have parts on this device. */
export async function recordingsLeft(): Promise<readonly string[]> {
  try {
    const names: string[] = [];
    for await (const [name, handle] of (await rootDirectory()).entries()) {
      if (handle.kind === "directory") names.push(name);
    }
    return names;
  } catch {
    return []; // a private window, or a browser without OPFS
  }
}

function rootDirectory(): Promise<FileSystemDirectoryHandle> {
  return navigator.storage
    .getDirectory()
    .then((top) => top.getDirectoryHandle(root, { create: true }));
}

export class FileStore implements PartStore {
  readonly #id: string;
  readonly #directory: FileSystemDirectoryHandle;
  /** Files that this page is writing now. Until they are complete, they count as no part. */
  readonly #writing = new Set<string>();

  private constructor(id: string, directory: FileSystemDirectoryHandle) {
    this.#id = id;
    this.#directory = directory;
  }

  /** Rejects if the browser has no private files. */
  static async open(id: string): Promise<FileStore> {
    const all = await rootDirectory();
    return new FileStore(id, await all.getDirectoryHandle(id, { create: true }));
  }

  readonly note = (note: UploadNote): Promise<void> =>
    this.#write(
      note.parts === null ? noteFile : endFile,
      new TextEncoder().encode(JSON.stringify(note)),
    );

  /** The stored details of the upload; null if the page was closed before it stored them. */
  async noted(): Promise<UploadNote | null> {
    return (await this.#noteIn(endFile)) ?? (await this.#noteIn(noteFile));
  }

  /** The note in a file; null if there is no such file, or it is incomplete. */
  async #noteIn(name: string): Promise<UploadNote | null> {
    try {
      const file = await (await this.#directory.getFileHandle(name)).getFile();
      return JSON.parse(await file.text()) as UploadNote;
    } catch {
      return null;
    }
  }

  readonly put = (part: WaitingPart, bytes: Uint8Array<ArrayBuffer>): Promise<void> =>
    this.#write(nameOf(part, bytes.byteLength), bytes);

  readonly waiting = async (): Promise<readonly WaitingPart[]> => {
    const files = await this.#partFiles();
    const complete = files.filter((file) => file.isComplete).map(({ part }) => part);
    return complete.sort((a, b) => a.index - b.index);
  };

  /** Deletes files that an earlier page left incomplete. Call it only with the recording's lock. */
  async deleteIncomplete(): Promise<void> {
    for (const { name, isComplete } of await this.#partFiles()) {
      if (!isComplete) await this.#directory.removeEntry(name);
    }
  }

  readonly get = async (part: WaitingPart): Promise<Uint8Array<ArrayBuffer>> => {
    const file = await (await this.#directory.getFileHandle(await this.#nameOf(part))).getFile();
    return new Uint8Array(await file.arrayBuffer());
  };

  readonly delete = async (part: WaitingPart): Promise<void> => {
    await this.#directory.removeEntry(await this.#nameOf(part));
  };

  readonly index = async (): Promise<Uint8Array<ArrayBuffer> | null> => {
    if (this.#writing.has(indexFile)) return null;
    try {
      const file = await (await this.#directory.getFileHandle(indexFile)).getFile();
      return file.size > 0 ? new Uint8Array(await file.arrayBuffer()) : null;
    } catch {
      return null;
    }
  };

  readonly putIndex = (bytes: Uint8Array<ArrayBuffer>): Promise<void> =>
    this.#write(indexFile, bytes);

  readonly clear = async (): Promise<void> => {
    await (await rootDirectory()).removeEntry(this.#id, { recursive: true });
  };

  async #partFiles(): Promise<{ name: string; part: WaitingPart; isComplete: boolean }[]> {
    const files = [];
    for await (const [name, handle] of this.#directory.entries()) {
      const named = partOf(name);
      if (!named || handle.kind !== "file" || this.#writing.has(name)) continue;
      const { size } = await (handle as FileSystemFileHandle).getFile();
      files.push({ name, part: named.part, isComplete: size === named.bytes });
    }
    return files;
  }

  async #nameOf({ index }: WaitingPart): Promise<string> {
    for await (const name of this.#directory.keys()) {
      if (partOf(name)?.part.index === index) return name;
    }
    throw new Error("no such part");
  }

  async #write(name: string, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    this.#writing.add(name);
    try {
      const handle: SyncFileHandle = await this.#directory.getFileHandle(name, { create: true });
      if (handle.createSyncAccessHandle) {
        writeSync(await handle.createSyncAccessHandle(), bytes);
        return;
      }
      const writable = await handle.createWritable();
      await writable.write(bytes);
      await writable.close();
    } catch (error) {
      throw isQuota(error) ? new StoreFull() : error;
    } finally {
      this.#writing.delete(name);
    }
  }
}

function writeSync(access: SyncAccess, bytes: Uint8Array): void {
  try {
    access.truncate(0);
    if (access.write(bytes, { at: 0 }) < bytes.byteLength) throw new StoreFull();
    access.flush();
  } finally {
    access.close();
  }
}

function isQuota(error: unknown): boolean {
  return error instanceof DOMException && error.name === "QuotaExceededError";
}

/** A file's name contains its size, so that an incomplete file is recognised. */
function nameOf({ index, endsMs }: WaitingPart, bytes: number): string {
  return `${index}-${endsMs}-${bytes}.part`;
}

function partOf(name: string): { part: WaitingPart; bytes: number } | null {
  const [, index, endsMs, bytes] = /^(\d+)-(\d+)-(\d+)\.part$/.exec(name) ?? [];
  if (index === undefined) return null;
  return { part: { index: Number(index), endsMs: Number(endsMs) }, bytes: Number(bytes) };
}
