import { type Observable, Value } from "@conclave/client/door";

/**
 * Whether this page still has something to send, such as the rest of a recording. Sending goes on
 * after the call, and ends with the page.
 */
export class Unsent {
  readonly #parts = new Set<Observable<boolean>>();
  readonly #isLeft = new Value(false);

  /** True until everything is sent, or nothing more can be. */
  get isLeft(): Observable<boolean> {
    return this.#isLeft;
  }

  /** Takes into account what is true as long as a part of the page has something to send. */
  watch(part: Observable<boolean>): void {
    if (this.#parts.has(part)) return;
    this.#parts.add(part);
    part.subscribe(() => this.#look());
    this.#look();
  }

  /** Calls `act` when nothing is left: at once, if nothing is. */
  whenSent(act: () => void): void {
    if (!this.#isLeft.get()) {
      act();
      return;
    }
    const stop = this.#isLeft.subscribe(() => {
      if (this.#isLeft.get()) return;
      stop();
      act();
    });
  }

  #look(): void {
    this.#isLeft.set([...this.#parts].some((part) => part.get()));
  }
}
