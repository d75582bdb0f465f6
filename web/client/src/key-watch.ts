import type { MediaCount } from "./media-person.js";

/**
 * Distinguishes a wrong key from a damaged frame. One frame that cannot be decrypted raises a
 * suspicion. If the person goes on sending and nothing is decoded a moment later, the keys differ;
 * as soon as something is decoded again, they match.
 */

/** Long enough for good frames to follow a damaged one, short enough to warn the person soon. */
export const suspicionTime = 1500;

type Doubt = { readonly since: number; readonly last: MediaCount; readonly certain: boolean };

export class KeyWatch {
  readonly #doubts = new Map<string, Doubt>();

  /** A frame from this person could not be decrypted. `count` says what came from them so far. */
  failed(identity: string, count: MediaCount, now: number): void {
    if (!this.#doubts.has(identity)) {
      this.#doubts.set(identity, { since: now, last: count, certain: false });
    }
  }

  /** Updates what came from a person. Returns whether the verdict on the person changed. */
  observe(identity: string, count: MediaCount, now: number): boolean {
    const doubt = this.#doubts.get(identity);
    if (!doubt) return false;
    const { since, last, certain: was } = doubt;
    if (count.decoded > last.decoded) {
      this.#doubts.delete(identity);
      return was;
    }
    // Nothing can be decoded of a person who is muted and whose picture is not shown here.
    const isSending = count.received > last.received;
    const certain = was || (isSending && now - since >= suspicionTime);
    this.#doubts.set(identity, { since, last: count, certain });
    return certain !== was;
  }

  forget(identity: string): void {
    this.#doubts.delete(identity);
  }

  clear(): void {
    this.#doubts.clear();
  }

  /** The people under suspicion, whose decoding has to be observed. */
  get doubted(): readonly string[] {
    return [...this.#doubts.keys()];
  }

  mismatches(identity: string): boolean {
    return this.#doubts.get(identity)?.certain ?? false;
  }
}
