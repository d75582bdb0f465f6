type Listener = (...args: unknown[]) => void;

/** Emits events to its listeners in their order, as the media library's objects do. */
export class Emitter {
  readonly #listeners = new Map<string, Listener[]>();

  on(event: string, listener: Listener): this {
    this.#listeners.set(event, [...this.#of(event), listener]);
    return this;
  }

  prependListener(event: string, listener: Listener): void {
    this.#listeners.set(event, [listener, ...this.#of(event)]);
  }

  emit(event: string, ...args: unknown[]): void {
    for (const listener of this.#of(event)) listener(...args);
  }

  #of(event: string): readonly Listener[] {
    return this.#listeners.get(event) ?? [];
  }
}
