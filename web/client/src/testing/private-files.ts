/** A browser's private files (OPFS) in memory, as far as this library uses them. */
export class PrivateFiles {
  readonly kind = "directory";
  readonly #entries = new Map<string, PrivateFiles | PrivateFile>();

  readonly getDirectoryHandle = async (name: string): Promise<PrivateFiles> => {
    const known = this.#entries.get(name) ?? new PrivateFiles();
    if (known instanceof PrivateFile) throw new DOMException(name, "TypeMismatchError");
    this.#entries.set(name, known);
    return known;
  };

  readonly getFileHandle = async (
    name: string,
    options?: { readonly create?: boolean },
  ): Promise<PrivateFile> => {
    const known = this.#entries.get(name) ?? (options?.create ? new PrivateFile() : null);
    if (!(known instanceof PrivateFile)) throw new DOMException(name, "NotFoundError");
    this.#entries.set(name, known);
    return known;
  };

  readonly removeEntry = async (name: string): Promise<void> => {
    if (!this.#entries.delete(name)) throw new DOMException(name, "NotFoundError");
  };

  async *entries() {
    yield* [...this.#entries];
  }

  async *keys() {
    yield* [...this.#entries.keys()];
  }

  /** What a page calls to get them. */
  get navigator() {
    return { storage: { getDirectory: async () => this } };
  }
}

export class PrivateFile {
  readonly kind = "file";
  bytes = new Uint8Array();
  /** Writing goes on only when this resolves. */
  hold: Promise<void> = Promise.resolve();

  readonly getFile = async () => {
    const { bytes } = this;
    return {
      size: bytes.byteLength,
      text: async () => new TextDecoder().decode(bytes),
      arrayBuffer: async () => bytes.slice().buffer,
    };
  };

  readonly createWritable = async () => ({
    write: async (bytes: Uint8Array<ArrayBuffer>) => {
      await this.hold;
      this.bytes = bytes;
    },
    close: async () => {},
  });
}
