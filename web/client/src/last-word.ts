/** A request that was sent, and what has happened since. */
export interface Question {
  /** Nothing was asked after it. */
  readonly isLast: () => boolean;
  /** Nor has the stream told anything since: the answer is the newest word there is. */
  readonly isNewest: () => boolean;
}

/**
 * Tells which answers were overtaken on their way, by the stream or by the answer to a later
 * request. Written over what is newer, such an answer would stay until the next change: the service
 * tells each device what changes once, and does not know what else the device was answered.
 */
export class LastWord {
  #told = 0;
  readonly #asked = new Map<string, number>();

  /** The stream has told how it is. */
  told(): void {
    this.#told += 1;
  }

  /** To be called before the request is sent, and to be looked at when the answer is used. */
  asking(about = ""): Question {
    const told = this.#told;
    const number = (this.#asked.get(about) ?? 0) + 1;
    this.#asked.set(about, number);
    const isLast = () => this.#asked.get(about) === number;
    return { isLast, isNewest: () => isLast() && this.#told === told };
  }
}
