import type { Clock } from "./clock.js";
import { personOf } from "./identity.js";

/** In milliseconds. */
const span = 2000;
/**
 * How much of one person is looked at in that time, of chat and of reactions each. Nobody types or
 * presses as fast: it has room for a text that is pasted in several messages, and for what a short
 * break of the network held up and lets go all at once.
 */
const share = 20;

/**
 * The media server passes on whatever a client sends, as fast as it comes. So that one that is
 * modified does not keep every other device busy, each person is listened to so much and no more,
 * and nobody else is the worse for it.
 */
export class FloodGate {
  readonly #clock: Clock;
  /** What was let through since the span began; everybody's begins anew together. */
  readonly #through = new Map<string, number>();
  #since = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether one more of this kind is looked at; if so, it is counted. */
  lets(sender: string, kind: string): boolean {
    const now = this.#clock.now();
    // A clock that was set back begins a new span as well, and not one that lasts for hours.
    if (now < this.#since || now - this.#since >= span) {
      this.#since = now;
      this.#through.clear();
    }
    // All devices of a person have one share: connections are easier to come by than people.
    const who = `${kind}:${personOf(sender)}`;
    const count = this.#through.get(who) ?? 0;
    if (count >= share) return false;
    this.#through.set(who, count + 1);
    return true;
  }
}
