/** The file of a recording, which is stored as encrypted parts only. */
import { decryptPart, type Piece } from "../recording/part-format.js";
import { decodeIndex } from "../recording/recording-index.js";

/** What a page knows about a recording that it can open. */
export interface EncryptedFileOptions {
  readonly id: string;
  /** Media type without codecs, such as `video/mp4`. */
  readonly mimeType: string;
  /** How many parts are stored. */
  readonly parts: number;
  /** The service's figure; the real length follows from the parts. */
  readonly duration: number;
  readonly key: CryptoKey;
  /** Fetches a part as it is stored; null if there is none. */
  readonly fetchPiece: (
    piece: Piece,
    signal: AbortSignal,
  ) => Promise<Uint8Array<ArrayBuffer> | null>;
  /** Whether this person can still see the recording; asked when a part is missing. */
  readonly isThere: () => Promise<boolean>;
}

/** A part is missing, was changed, or belongs elsewhere. */
export class DamagedPart extends Error {
  /** Its number in the API, from 0; people count from 1. */
  readonly part: number;

  constructor(part: number) {
    super(`Part ${part + 1} of this recording is damaged.`);
    this.name = "DamagedPart";
    this.part = part;
  }
}

/** The recording was deleted, or this person may no longer see it. */
export class RecordingGone extends Error {
  constructor() {
    super("This recording is gone.");
    this.name = "RecordingGone";
  }
}

export class EncryptedFile {
  readonly mimeType: string;
  readonly parts: number;
  /** In seconds. */
  readonly duration: number;
  readonly #options: EncryptedFileOptions;

  constructor(options: EncryptedFileOptions) {
    this.mimeType = options.mimeType;
    this.parts = options.parts;
    this.duration = options.duration;
    this.#options = options;
  }

  /** A part, verified and decrypted. */
  async read(part: number, signal: AbortSignal): Promise<Uint8Array<ArrayBuffer>> {
    const { id, key, fetchPiece, isThere } = this.#options;
    const sealed = await fetchPiece(part, signal);
    if (sealed === null) throw (await isThere()) ? new DamagedPart(part) : new RecordingGone();
    return decryptPart(key, id, part, sealed).catch(() => {
      throw new DamagedPart(part);
    });
  }

  /**
   * When each part begins, in seconds, as far as the recording's index says. Empty if the index is
   * missing or cannot be read, since playback works without it.
   */
  async starts(signal: AbortSignal): Promise<readonly number[]> {
    const { id, key, fetchPiece } = this.#options;
    try {
      const sealed = await fetchPiece("index", signal);
      if (sealed === null) return [];
      const index = decodeIndex(await decryptPart(key, id, "index", sealed));
      return (index?.parts ?? []).map(([milliseconds]) => milliseconds / 1000);
    } catch {
      signal.throwIfAborted();
      return [];
    }
  }
}
