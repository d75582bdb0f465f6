import type { FileSink } from "@conclave/client/playback/copy-file";

/** Chromium's API to write a file that the person chooses, piece by piece. */
interface PickerWindow extends Window {
  readonly showSaveFilePicker?: (options: {
    readonly suggestedName: string;
  }) => Promise<FileSystemFileHandle & { readonly remove?: () => Promise<void> }>;
}

/** The largest file to keep in memory in a browser without that API, in bytes. */
export const memoryLimit = 1_000_000_000;

/** Whether this browser can save a file of this size. */
export function canSave(bytes: number): boolean {
  const scope: PickerWindow = window;
  return scope.showSaveFilePicker !== undefined || bytes <= memoryLimit;
}

/**
 * Where a download goes: a file that the person chooses, or the browser's downloads. Must be called
 * in a click handler. Null if the person chose no file.
 */
export async function saveTarget(name: string, type: string): Promise<FileSink | null> {
  const scope: PickerWindow = window;
  if (!scope.showSaveFilePicker) return new MemorySink(name, type);
  try {
    const handle = await scope.showSaveFilePicker({ suggestedName: name });
    const stream = await handle.createWritable();
    return {
      write: (bytes) => stream.write(bytes),
      close: () => stream.close(),
      abort: async () => {
        await stream.abort();
        await handle.remove?.(); // the dialog has created an empty file
      },
    };
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") return null;
    throw error;
  }
}

/** Keeps the file in memory until it is complete, and then passes it to the browser's downloads. */
class MemorySink implements FileSink {
  readonly #name: string;
  readonly #type: string;
  #blob = new Blob();

  constructor(name: string, type: string) {
    this.#name = name;
    this.#type = type;
  }

  // A browser can move a Blob to its disk, but not bytes that a script holds.
  write = async (bytes: Uint8Array<ArrayBuffer>) => {
    this.#blob = new Blob([this.#blob, bytes], { type: this.#type });
  };

  close = async () => {
    const address = URL.createObjectURL(this.#blob);
    const link = document.createElement("a");
    link.href = address;
    link.download = this.#name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
  };

  abort = async () => {
    this.#blob = new Blob();
  };
}
