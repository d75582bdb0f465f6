/** A request that was sent, and what has happened since then. */
export interface SentRequest {
  /**
   * Whether no later request was sent, and the stream has brought nothing since, so that the answer
   * is the newest state.
   */
  readonly isNewest: () => boolean;
}

/**
 * Tells which answers are out of date when they arrive, because the stream or the answer to a later
 * request came first. The stream sends each change once, so an old answer that replaces newer state
 * would stay until the next change.
 */
export class AnswerOrder {
  #events = 0;
  readonly #requests = new Map<string, number>();

  /** The stream has brought the current state. */
  streamed(): void {
    this.#events += 1;
  }

  /** Call it before sending a request, and check the result before using the answer. */
  sending(about = ""): SentRequest {
    const events = this.#events;
    const number = (this.#requests.get(about) ?? 0) + 1;
    this.#requests.set(about, number);
    const isLast = () => this.#requests.get(about) === number;
    return { isNewest: () => isLast() && this.#events === events };
  }
}
