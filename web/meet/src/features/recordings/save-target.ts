import type { FileSink } from "@conclave/client/playback/copy-file";

/** Chromium's way to write a file of the person's choice, piece by piece. */
interface PickerWindow extends Window {
  readonly showSaveFilePicker?: (options: {
    readonly suggestedName: string;
  }) => Promise<FileSystemFileHandle & { readonly remove?: () => Promise<void> }>;
}

/** What a browser without that way holds in memory at most. */
export const memoryLimit = 1_000_000_000;

/** Whether this browser can save a file of this size. */
export function canSave(bytes: number): boolean {
  const scope: PickerWindow = window;
  return scope.showSaveFilePicker !== undefined || bytes <= memoryLimit;
}

/**
 * Where a download goes: a file that the person chooses, or the browser's downloads. Must be
 * called in answer to a click. Null when the person chose none.
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
        await handle.remove?.(); // choosing it made an empty one
      },
    };
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") return null;
    throw error;
  }
}

/** Keeps the file until it is whole, and then hands it to the browser's downloads. */
class MemorySink implements FileSink {
  readonly #name: string;
  readonly #type: string;
  #blob = new Blob();

  constructor(name: string, type: string) {
    this.#name = name;
    this.#type = type;
  }

  // A browser may move a Blob to its disk, which it cannot do with bytes that a script holds.
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
