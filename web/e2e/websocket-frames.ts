/** Reads one direction of a WebSocket, its HTTP head included, and keeps what the frames carry. */
export class FrameReader {
  readonly #kept: Buffer[];
  #rest = Buffer.alloc(0);
  #isHeadRead = false;

  constructor(kept: Buffer[]) {
    this.#kept = kept;
  }

  read(chunk: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    if (!this.#isHeadRead) {
      const end = this.#rest.indexOf("\r\n\r\n");
      if (end < 0) return;
      this.#isHeadRead = true;
      this.#keep(this.#rest.subarray(0, end), end + 4);
    }
    while (this.#readFrame());
  }

  /** Whether there was a whole one (RFC 6455, section 5.2). */
  #readFrame(): boolean {
    const bytes = this.#rest;
    if (bytes.byteLength < 2) return false;
    const second = bytes.readUInt8(1);
    const short = second & 0x7f;
    const lengthBytes = short === 127 ? 8 : short === 126 ? 2 : 0;
    const maskAt = 2 + lengthBytes;
    const start = maskAt + (second & 0x80 ? 4 : 0);
    if (bytes.byteLength < start) return false;
    let length = short;
    if (lengthBytes === 2) length = bytes.readUInt16BE(2);
    if (lengthBytes === 8) length = Number(bytes.readBigUInt64BE(2));
    if (bytes.byteLength < start + length) return false;
    const payload = Buffer.from(bytes.subarray(start, start + length));
    const mask = bytes.subarray(maskAt, start);
    if (mask.byteLength > 0) {
      for (const [at, byte] of payload.entries()) payload[at] = byte ^ (mask[at % 4] ?? 0);
    }
    this.#keep(payload, start + length);
    return true;
  }

  #keep(content: Buffer, read: number): void {
    this.#kept.push(Buffer.from(content));
    this.#rest = this.#rest.subarray(read);
  }
}
