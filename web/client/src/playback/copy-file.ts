import type { EncryptedFile } from "./encrypted-file.js";

/** A file being written, such as a stream of the browser's file system. */
export interface FileSink {
  readonly write: (bytes: Uint8Array<ArrayBuffer>) => Promise<void>;
  readonly close: () => Promise<void>;
  /** Gives up the file, and leaves nothing of it. */
  readonly abort: () => Promise<void>;
}

/**
 * Writes the file of a recording, one part at a time. Leaves no file if it fails or is cancelled.
 */
export async function copyFile(
  file: EncryptedFile,
  sink: FileSink,
  onProgress: (share: number) => void,
  signal: AbortSignal,
): Promise<void> {
  try {
    for (let part = 0; part < file.parts; part += 1) {
      signal.throwIfAborted();
      onProgress(part / file.parts);
      await sink.write(await file.read(part, signal));
    }
    signal.throwIfAborted();
    await sink.close();
  } catch (error) {
    await sink.abort().catch(() => undefined); // report the first error
    throw error;
  }
}
