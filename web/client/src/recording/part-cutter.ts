/** A stretch of the file, made of whole fragments, before it is encrypted. */
export interface Part {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The position of its first byte in the file. */
  readonly offset: number;
  /** When it begins and ends in the recording, in milliseconds. */
  readonly startsMs: number;
  readonly endsMs: number;
}

/** A part is closed before it exceeds either limit (docs/reference/recordings.md). */
export const partLimits = { bytes: 8 * 1024 * 1024, milliseconds: 10_000 } as const;

/**
 * Cuts a growing file into parts. The file arrives in pieces; a fragment must be announced before
 * its first piece.
 */
export class PartCutter {
  readonly #onPart: (part: Part) => void;
  readonly #pieces: Uint8Array[] = [];
  #bytes = 0;
  #offset = 0;
  #startsMs = 0;
  /** How many bytes of the part come before the fragment that is being written. */
  #fragmentAt = 0;
  #fragmentMs = 0;

  constructor(onPart: (part: Part) => void) {
    this.#onPart = onPart;
  }

  /** A fragment begins here, so the one before it is complete. */
  fragment(milliseconds: number): void {
    const isFirst = this.#fragmentAt === 0;
    // The head of the file belongs to the first fragment.
    if (isFirst && this.#offset === 0) {
      this.#fragmentAt = this.#bytes;
      this.#fragmentMs = milliseconds;
      return;
    }
    const grown = this.#bytes - this.#fragmentAt;
    const isLong = milliseconds - this.#startsMs >= partLimits.milliseconds;
    // The next fragment may be as large as this one was.
    if (isLong || this.#bytes + grown > partLimits.bytes) this.#close(milliseconds);
    this.#fragmentAt = this.#bytes;
    this.#fragmentMs = milliseconds;
  }

  write(piece: Uint8Array): void {
    this.#pieces.push(piece.slice());
    this.#bytes += piece.byteLength;
  }

  /** The file is complete: the rest is the last part. */
  end(milliseconds: number): void {
    if (this.#bytes > 0) this.#close(Math.max(milliseconds, this.#fragmentMs));
  }

  #close(endsMs: number): void {
    const bytes = new Uint8Array(this.#bytes);
    let at = 0;
    for (const piece of this.#pieces) {
      bytes.set(piece, at);
      at += piece.byteLength;
    }
    const part = { bytes, offset: this.#offset, startsMs: this.#startsMs, endsMs };
    this.#pieces.length = 0;
    this.#offset += this.#bytes;
    this.#bytes = 0;
    this.#startsMs = endsMs;
    this.#onPart(part);
  }
}
