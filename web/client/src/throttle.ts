import type { Clock } from "./clock.js";

/**
 * Limits how often a function runs after things happen: at once after a quiet time, then at most
 * once in `every` milliseconds. However fast others do things, they cost this device no more.
 */
export class Throttle {
  readonly #clock: Clock;
  readonly #every: number;
  readonly #run: () => void;
  #isDue = false;
  #cancelPause: (() => void) | null = null;
  #closed = false;

  constructor(clock: Clock, every: number, run: () => void) {
    this.#clock = clock;
    this.#every = every;
    this.#run = run;
  }

  /** Something has happened. One run covers everything that happens in the same turn. */
  trigger(): void {
    if (this.#isDue || this.#closed) return;
    this.#isDue = true;
    if (!this.#cancelPause) queueMicrotask(() => this.#runNow());
  }

  close(): void {
    this.#closed = true;
    this.#cancelPause?.();
  }

  #runNow(): void {
    if (this.#closed) return;
    this.#isDue = false;
    this.#cancelPause = this.#clock.after(this.#every, () => {
      this.#cancelPause = null;
      if (this.#isDue) this.#runNow();
    });
    this.#run();
  }
}
