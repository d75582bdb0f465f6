import type { Part } from "./part-cutter.js";
import { encryptPart } from "./part-format.js";
import type { PartStore } from "./part-store.js";
import { encodeIndex, type RecordingIndex } from "./recording-index.js";

export interface PartPressOptions {
  readonly id: string;
  readonly key: CryptoKey;
  readonly store: PartStore;
  /** Another part is in the store, and the index with it. */
  readonly onStored: () => void;
  readonly onFailure: (error: unknown) => void;
}

/** Encrypts the parts of a recording one after the other, and puts them into the store. */
export class PartPress {
  readonly #options: PartPressOptions;
  readonly #index: RecordingIndex["parts"][number][] = [];
  #work: Promise<void> = Promise.resolve();
  #count = 0;
  #hasFailed = false;

  constructor(options: PartPressOptions) {
    this.#options = options;
  }

  add(part: Part): void {
    this.#work = this.#work
      .then(() => this.#press(part))
      .catch((error: unknown) => {
        this.#hasFailed = true;
        this.#options.onFailure(error);
      });
  }

  /** How many parts there are, once all of them are in the store. */
  async close(): Promise<number> {
    await this.#work;
    return this.#count;
  }

  async #press({ bytes, startsMs, endsMs, offset }: Part): Promise<void> {
    // A gap would make everything after it useless.
    if (this.#hasFailed) return;
    const { id, key, store, onStored } = this.#options;
    const index = this.#count;
    await store.put({ index, endsMs }, await encryptPart(key, id, index, bytes));
    this.#count += 1;
    this.#index.push([startsMs, offset]);
    await store.putIndex(await encryptPart(key, id, "index", encodeIndex(this.#index)));
    onStored();
  }
}
