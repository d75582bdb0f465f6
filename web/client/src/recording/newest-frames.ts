/** Keeps the newest frame of every picture. */
export class NewestFrames {
  readonly #newest = new Map<string, VideoFrame | ImageBitmap>();
  readonly #readers = new Map<string, ReadableStreamDefaultReader<VideoFrame>>();

  get(picture: string): VideoFrame | ImageBitmap | null {
    return this.#newest.get(picture) ?? null;
  }

  /** Follows a picture until it is removed or its track ends. */
  follow(picture: string, frames: ReadableStream<VideoFrame>): void {
    this.drop(picture);
    const reader = frames.getReader();
    this.#readers.set(picture, reader);
    void this.#read(picture, reader);
  }

  put(picture: string, frame: VideoFrame | ImageBitmap): void {
    this.#newest.get(picture)?.close();
    this.#newest.set(picture, frame);
  }

  drop(picture: string): void {
    const reader = this.#readers.get(picture);
    this.#readers.delete(picture);
    void reader?.cancel().catch(() => {});
    this.#newest.get(picture)?.close();
    this.#newest.delete(picture);
  }

  close(): void {
    for (const picture of [...this.#readers.keys(), ...this.#newest.keys()]) this.drop(picture);
  }

  async #read(picture: string, reader: ReadableStreamDefaultReader<VideoFrame>): Promise<void> {
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        if (this.#readers.get(picture) === reader) this.put(picture, value);
        else value.close();
      }
    } catch {
      // The track ended in the middle of a frame. The page says what replaces it.
    }
  }
}
