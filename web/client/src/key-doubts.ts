import type { RemoteParticipant } from "livekit-client";
import type { Clock } from "./clock.js";
import { KeyWatch } from "./key-watch.js";
import { mediaCount } from "./media-person.js";

export interface KeyDoubtsOptions {
  /** Somebody else on the connection. */
  readonly find: (identity: string) => RemoteParticipant | undefined;
  readonly clock: Clock;
  readonly onChange: () => void;
}

/** How often the decoding of a person under suspicion is checked. */
const observeEvery = 750;

/** Those on a connection whose media could not be decrypted, and who may have another key. */
export class KeyDoubts {
  readonly #options: KeyDoubtsOptions;
  readonly #watch = new KeyWatch();
  #cancelObserving: (() => void) | null = null;
  #closed = false;

  constructor(options: KeyDoubtsOptions) {
    this.#options = options;
  }

  close(): void {
    this.#closed = true;
    this.#cancelObserving?.();
  }

  /** The media library could not decrypt what somebody sent. */
  add(participant: { identity: string } | undefined): void {
    void this.#add(participant);
  }

  forget(identity: string): void {
    this.#watch.forget(identity);
  }

  /**
   * Judges everybody again, because this device has got other keys. The device does not
   * ask for the pictures of somebody whose key is wrong, so no decoded picture could end that verdict.
   */
  clear(): void {
    this.#watch.clear();
  }

  /** Whether it is certain that somebody has another key. */
  isConfirmed(identity: string): boolean {
    return this.#watch.mismatches(identity);
  }

  async #add(participant: { identity: string } | undefined): Promise<void> {
    const remote = participant && this.#options.find(participant.identity);
    if (!remote) return;
    this.#watch.failed(remote.identity, await mediaCount(remote), this.#options.clock.now());
    this.#observeSoon();
  }

  #observeSoon(): void {
    if (this.#cancelObserving || this.#closed) return;
    this.#cancelObserving = this.#options.clock.after(observeEvery, () => {
      this.#cancelObserving = null;
      void this.#observe();
    });
  }

  async #observe(): Promise<void> {
    for (const identity of this.#watch.doubted) {
      const participant = this.#options.find(identity);
      if (!participant) {
        this.#watch.forget(identity);
        continue;
      }
      const count = await mediaCount(participant);
      if (this.#watch.observe(identity, count, this.#options.clock.now())) this.#options.onChange();
    }
    if (this.#watch.doubted.length > 0) this.#observeSoon();
  }
}
