/** A value that tells listeners when it changes. Fits React's useSyncExternalStore. */
export interface Observable<T> {
  /** The value now. The same object as long as nothing changed. */
  readonly get: () => T;
  /** Calls the listener after every change, until the returned function is called. */
  readonly subscribe: (listener: () => void) => () => void;
}

/** The writable side of an Observable, private to the owner of the value. */
export class Value<T> implements Observable<T> {
  #current: T;
  readonly #listeners = new Set<() => void>();

  constructor(initial: T) {
    this.#current = initial;
  }

  readonly get = (): T => this.#current;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  };

  set(next: T): void {
    if (Object.is(next, this.#current)) return;
    this.#current = next;
    for (const listener of [...this.#listeners]) tell(listener);
  }

  update(change: (current: T) => T): void {
    this.set(change(this.#current));
  }
}

/**
 * Calls a listener. If it throws, the other listeners are still called, and the error is reported
 * afterwards, as an uncaught one.
 */
function tell(listener: () => void): void {
  try {
    listener();
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
