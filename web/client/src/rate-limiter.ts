import type { Clock } from "./clock.js";
import { personOf } from "./identity.js";

/** The length of a period, in milliseconds. */
const period = 2000;
/**
 * How many chat messages, and how many reactions, one person may send in a period. That is more
 * than anybody types, with room for a text pasted in several messages, and for messages that a
 * short loss of the network delayed and delivers at once.
 */
const limit = 20;

/**
 * Limits how much is taken from each person. The media server passes on what a client sends as fast
 * as it comes, so a modified client could keep every other device busy.
 */
export class RateLimiter {
  readonly #clock: Clock;
  /** How much was let through in this period, by kind and person. */
  readonly #counts = new Map<string, number>();
  #periodStart = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether one more of this kind is within the limit; if so, it is counted. */
  allows(sender: string, kind: string): boolean {
    const now = this.#clock.now();
    // A clock that was set back begins a new period too, or this one would last for hours.
    if (now < this.#periodStart || now - this.#periodStart >= period) {
      this.#periodStart = now;
      this.#counts.clear();
    }
    // All devices of a person share one limit, since it is easy to open more connections.
    const who = `${kind}:${personOf(sender)}`;
    const count = this.#counts.get(who) ?? 0;
    if (count >= limit) return false;
    this.#counts.set(who, count + 1);
    return true;
  }
}
