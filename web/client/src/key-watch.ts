/**
 * Distinguishes a wrong key from a damaged frame. One frame that cannot be decrypted raises a
 * suspicion. If nothing from that person is decoded a moment later, the keys differ; as soon as
 * something is decoded again, they match.
 */

/** Long enough for good frames to follow a damaged one, short enough to warn the person soon. */
export const suspicionTime = 1500;

type Doubt = { readonly since: number; readonly decoded: number; readonly certain: boolean };

export class KeyWatch {
  readonly #doubts = new Map<string, Doubt>();

  /** A frame from this person could not be decrypted. `decoded` counts what was decoded so far. */
  failed(identity: string, decoded: number, now: number): void {
    if (!this.#doubts.has(identity)) {
      this.#doubts.set(identity, { since: now, decoded, certain: false });
    }
  }

  /** Updates how much was decoded. Returns whether the verdict on the person changed. */
  observe(identity: string, decoded: number, now: number): boolean {
    const doubt = this.#doubts.get(identity);
    if (!doubt) return false;
    if (decoded > doubt.decoded) {
      this.#doubts.delete(identity);
      return doubt.certain;
    }
    // Counters start again with a new connection.
    const counted = { ...doubt, decoded: Math.min(decoded, doubt.decoded) };
    const certain = doubt.certain || now - doubt.since >= suspicionTime;
    this.#doubts.set(identity, { ...counted, certain });
    return certain !== doubt.certain;
  }

  forget(identity: string): void {
    this.#doubts.delete(identity);
  }

  /** The people under suspicion, whose decoding has to be observed. */
  get doubted(): readonly string[] {
    return [...this.#doubts.keys()];
  }

  mismatches(identity: string): boolean {
    return this.#doubts.get(identity)?.certain ?? false;
  }
}
