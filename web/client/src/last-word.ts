/** A request that was sent, and what has happened since then. */
export interface Question {
  /** Whether no later request was sent. */
  readonly isLast: () => boolean;
  /**
   * Whether the stream has brought nothing since either, so that the answer is the newest state.
   */
  readonly isNewest: () => boolean;
}

/**
 * Tells which answers are out of date when they arrive, because the stream or the answer to a later
 * request came first. The stream sends each change once, so an old answer that replaces newer state
 * would stay until the next change.
 */
export class LastWord {
  #told = 0;
  readonly #asked = new Map<string, number>();

  /** The stream has brought the current state. */
  told(): void {
    this.#told += 1;
  }

  /** Call it before sending a request, and check the result before using the answer. */
  asking(about = ""): Question {
    const told = this.#told;
    const number = (this.#asked.get(about) ?? 0) + 1;
    this.#asked.set(about, number);
    const isLast = () => this.#asked.get(about) === number;
    return { isLast, isNewest: () => isLast() && this.#told === told };
  }
}
