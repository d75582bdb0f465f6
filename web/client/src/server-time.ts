import type { Clock } from "./clock.js";

/** The `Date` of an answer is rounded down to whole seconds. */
const step = 1000;

/**
 * Estimates the service's clock from the dates of its answers, so that a countdown ends when the
 * service ends it. Each answer limits how far apart the two clocks can be. This device's clock is
 * used while it is within those limits.
 */
export class ServerTime {
  readonly #clock: Clock;
  /** The least and the most by which the service's clock is ahead of ours. */
  #least = Number.NEGATIVE_INFINITY;
  #most = Number.POSITIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  now(): number {
    return this.#clock.now() + Math.min(Math.max(0, this.#least), this.#most);
  }

  /** The time on this device's clock, to note when a request is sent. */
  local(): number {
    return this.#clock.now();
  }

  /** Takes the date of an answer. `asked` is when the request was sent, by this device's clock. */
  heard(asked: number, date: string | null): void {
    const said = Date.parse(date ?? "");
    if (Number.isNaN(said)) return;
    const least = said - this.#clock.now();
    const most = said + step - asked;
    const isApart = least > this.#most || most < this.#least;
    // One of the two clocks was set meanwhile, so the older limits are wrong.
    this.#least = isApart ? least : Math.max(least, this.#least);
    this.#most = isApart ? most : Math.min(most, this.#most);
  }
}
