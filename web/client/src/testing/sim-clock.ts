import type { Clock } from "../clock.js";

/** Numbers that look random and are the same for the same seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

interface Timer {
  readonly at: number;
  readonly order: number;
  readonly callback: () => void;
}

/** A clock that a simulation sets forward from one timer to the next. */
export class SimClock implements Clock {
  #now = 0;
  #order = 0;
  readonly #timers = new Set<Timer>();
  readonly random: () => number;

  constructor(random: () => number) {
    this.random = random;
  }

  readonly now = () => this.#now;

  readonly after = (milliseconds: number, callback: () => void) => {
    this.#order += 1;
    const timer = { at: this.#now + Math.max(0, milliseconds), order: this.#order, callback };
    this.#timers.add(timer);
    return () => {
      this.#timers.delete(timer);
    };
  };

  /** Runs the timers that are due next, if that is not after `limit`. False when there are none. */
  step(limit: number): boolean {
    const due = [...this.#timers].sort((a, b) => a.at - b.at || a.order - b.order)[0];
    if (!due || due.at > limit) {
      this.#now = Math.max(this.#now, limit);
      return false;
    }
    this.#timers.delete(due);
    this.#now = due.at;
    due.callback();
    return true;
  }
}
