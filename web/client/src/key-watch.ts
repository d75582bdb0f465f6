/**
 * Tells a key that does not fit from a frame that got damaged. One frame that does not decrypt
 * raises a suspicion; when nothing of that person was decoded a moment later, the keys differ.
 * As soon as anything is decoded again, all is well.
 */

/** Long enough for a damaged frame to be followed by good ones, short enough to be told soon. */
export const suspicionTime = 1500;

type Doubt = { readonly since: number; readonly decoded: number; readonly certain: boolean };

export class KeyWatch {
  readonly #doubts = new Map<string, Doubt>();

  /** A frame of this person did not decrypt. `decoded` counts what was decoded of them so far. */
  failed(identity: string, decoded: number, now: number): void {
    if (!this.#doubts.has(identity)) {
      this.#doubts.set(identity, { since: now, decoded, certain: false });
    }
  }

  /** Says how much was decoded by now. Returns whether the verdict on the person changed. */
  observe(identity: string, decoded: number, now: number): boolean {
    const doubt = this.#doubts.get(identity);
    if (!doubt) return false;
    if (decoded > doubt.decoded) {
      this.#doubts.delete(identity);
      return doubt.certain;
    }
    // Counters start anew with a new connection.
    const counted = { ...doubt, decoded: Math.min(decoded, doubt.decoded) };
    const certain = doubt.certain || now - doubt.since >= suspicionTime;
    this.#doubts.set(identity, { ...counted, certain });
    return certain !== doubt.certain;
  }

  forget(identity: string): void {
    this.#doubts.delete(identity);
  }

  /** Those about whom there is any doubt: their decoding has to be observed. */
  get doubted(): readonly string[] {
    return [...this.#doubts.keys()];
  }

  mismatches(identity: string): boolean {
    return this.#doubts.get(identity)?.certain ?? false;
  }
}
