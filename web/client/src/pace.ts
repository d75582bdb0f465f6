import type { Clock } from "./clock.js";

/**
 * Limits how often a function runs after things happen: at once after a quiet time, then at most
 * once in every so many milliseconds. However fast others do things, they cost this device no more.
 */
export class Pace {
  readonly #clock: Clock;
  readonly #every: number;
  readonly #look: () => void;
  #isDue = false;
  #cancelRest: (() => void) | null = null;
  #closed = false;

  constructor(clock: Clock, every: number, look: () => void) {
    this.#clock = clock;
    this.#every = every;
    this.#look = look;
  }

  /** Something has happened. One run covers everything that happens in the same turn. */
  happened(): void {
    if (this.#isDue || this.#closed) return;
    this.#isDue = true;
    if (!this.#cancelRest) queueMicrotask(() => this.#lookNow());
  }

  close(): void {
    this.#closed = true;
    this.#cancelRest?.();
  }

  #lookNow(): void {
    if (this.#closed) return;
    this.#isDue = false;
    this.#cancelRest = this.#clock.after(this.#every, () => {
      this.#cancelRest = null;
      if (this.#isDue) this.#lookNow();
    });
    this.#look();
  }
}
