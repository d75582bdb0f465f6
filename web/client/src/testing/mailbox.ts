/** A queue of things that happen, which a test takes one after the other. */
export class Mailbox<T> {
  readonly #arrived: T[] = [];
  readonly #takers: ((one: T) => void)[] = [];

  put(one: T): void {
    const taker = this.#takers.shift();
    if (taker) taker(one);
    else this.#arrived.push(one);
  }

  next(): Promise<T> {
    const [one] = this.#arrived.splice(0, 1);
    if (one !== undefined) return Promise.resolve(one);
    return new Promise((resolve) => this.#takers.push(resolve));
  }

  get isEmpty(): boolean {
    return this.#arrived.length === 0;
  }
}
