/** A stretch of the file, made of whole fragments, before it is encrypted. */
export interface Part {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Where its first byte is in the file. */
  readonly offset: number;
  /** The times in the recording at which it begins and ends, in milliseconds. */
  readonly startsMs: number;
  readonly endsMs: number;
}

/** A part is closed when it would grow beyond either (docs/reference/recordings.md). */
export const partLimits = { bytes: 8 * 1024 * 1024, milliseconds: 10_000 } as const;

/**
 * Cuts a growing file into parts. The file comes in pieces; a fragment has to be announced before
 * the first piece of it comes.
 */
export class PartCutter {
  readonly #onPart: (part: Part) => void;
  readonly #pieces: Uint8Array[] = [];
  #bytes = 0;
  #offset = 0;
  #startsMs = 0;
  /** Where the fragment begins that is being written: how many bytes of the part come before it. */
  #fragmentAt = 0;
  #fragmentMs = 0;

  constructor(onPart: (part: Part) => void) {
    this.#onPart = onPart;
  }

  /** A fragment begins here, so that what came before it is whole. */
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

  /** The file is complete: what is left is the last part. */
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
