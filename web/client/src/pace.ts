import type { Clock } from "./clock.js";

/**
 * Looks when something has happened: at once when all was quiet, and then no more often than every
 * so many milliseconds, one look serving whatever happened meanwhile. However fast others do things,
 * they cost this device no more than that.
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

  /** Something has happened. What else happens in the same turn is seen by the same look. */
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
