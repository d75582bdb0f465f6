/** Where encrypted parts wait for their upload. */

/** A part that waits: its number, and when it ends in the recording. */
export interface WaitingPart {
  readonly index: number;
  readonly endsMs: number;
}

/** What is needed to continue an upload, also after the page was closed. */
export interface UploadNote {
  readonly id: string;
  readonly secret: string;
  /** How many parts the recording has; null while it goes on. */
  readonly parts: number | null;
}

/** There is no room for another part. */
export class StoreFull extends Error {
  constructor() {
    super("There is no room for more of the recording on this device.");
    this.name = "StoreFull";
  }
}

/** There are two: the browser's private files, and memory for browsers without them. */
export interface PartStore {
  readonly note: (note: UploadNote) => Promise<void>;
  readonly put: (part: WaitingPart, bytes: Uint8Array<ArrayBuffer>) => Promise<void>;
  /** The parts that wait, in their order. */
  readonly waiting: () => Promise<readonly WaitingPart[]>;
  readonly get: (part: WaitingPart) => Promise<Uint8Array<ArrayBuffer>>;
  readonly delete: (part: WaitingPart) => Promise<void>;
  /** The newest index, encrypted; null if there is none. */
  readonly index: () => Promise<Uint8Array<ArrayBuffer> | null>;
  readonly putIndex: (bytes: Uint8Array<ArrayBuffer>) => Promise<void>;
  /** Forgets the recording. */
  readonly clear: () => Promise<void>;
}

/** How much memory waiting parts may take, in bytes. */
const memoryLimit = 64 * 1024 * 1024;

/** For browsers without private files. The waiting parts are lost with the page. */
export class MemoryStore implements PartStore {
  readonly #parts = new Map<number, { part: WaitingPart; bytes: Uint8Array<ArrayBuffer> }>();
  #used = 0;
  #index: Uint8Array<ArrayBuffer> | null = null;

  readonly note = (): Promise<void> => Promise.resolve();

  readonly put = (part: WaitingPart, bytes: Uint8Array<ArrayBuffer>): Promise<void> => {
    if (this.#used + bytes.byteLength > memoryLimit) return Promise.reject(new StoreFull());
    this.#used += bytes.byteLength;
    this.#parts.set(part.index, { part, bytes });
    return Promise.resolve();
  };

  readonly waiting = (): Promise<readonly WaitingPart[]> =>
    Promise.resolve([...this.#parts.values()].map(({ part }) => part));

  readonly get = ({ index }: WaitingPart): Promise<Uint8Array<ArrayBuffer>> => {
    const kept = this.#parts.get(index);
    return kept ? Promise.resolve(kept.bytes) : Promise.reject(new Error("no such part"));
  };

  readonly delete = ({ index }: WaitingPart): Promise<void> => {
    this.#used -= this.#parts.get(index)?.bytes.byteLength ?? 0;
    this.#parts.delete(index);
    return Promise.resolve();
  };

  readonly index = (): Promise<Uint8Array<ArrayBuffer> | null> => Promise.resolve(this.#index);

  readonly putIndex = (bytes: Uint8Array<ArrayBuffer>): Promise<void> => {
    this.#index = bytes;
    return Promise.resolve();
  };

  readonly clear = (): Promise<void> => {
    this.#parts.clear();
    this.#used = 0;
    return Promise.resolve();
  };
}
