import type { Clock } from "../clock.js";

/** A clock that a test turns by hand. */
export class HandClock implements Clock {
  #now = 0;
  readonly #timers = new Set<{ at: number; after: number; callback: () => void }>();
  #starting: (() => void)[] = [];
  readonly now = () => this.#now;
  readonly random = () => 0.5;
  readonly after = (milliseconds: number, callback: () => void) => {
    const timer = { at: this.#now + milliseconds, after: milliseconds, callback };
    this.#timers.add(timer);
    const waiting = this.#starting;
    this.#starting = [];
    for (const look of waiting) look();
    return () => {
      this.#timers.delete(timer);
    };
  };

  /** Whether no callback waits. */
  get isIdle(): boolean {
    return this.#timers.size === 0;
  }

  /** Resolves when this many callbacks wait; with a time: this many that wait that long. */
  async started(count = 1, milliseconds?: number): Promise<void> {
    const waiting = () =>
      [...this.#timers].filter(({ after }) => after === (milliseconds ?? after)).length;
    while (waiting() < count) {
      await new Promise<void>((resolve) => this.#starting.push(resolve));
    }
  }

  pass(milliseconds: number): void {
    this.#now += milliseconds;
    for (const timer of [...this.#timers]) {
      if (timer.at > this.#now || !this.#timers.delete(timer)) continue;
      timer.callback();
    }
  }
}
