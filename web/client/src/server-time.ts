import type { Clock } from "./clock.js";

/** The `Date` of an answer counts whole seconds, and cuts off what is over. */
const step = 1000;

/**
 * The service's clock as far as the dates of its answers tell, so that a countdown ends when the
 * service ends it. Each answer says how far apart the two clocks can be; this device's clock is
 * believed until that is too far.
 */
export class ServerTime {
  readonly #clock: Clock;
  /** The service's clock is ahead of ours by no less, and by no more. */
  #least = Number.NEGATIVE_INFINITY;
  #most = Number.POSITIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  now(): number {
    return this.#clock.now() + Math.min(Math.max(0, this.#least), this.#most);
  }

  /** What this device's clock says: when a question is asked. */
  local(): number {
    return this.#clock.now();
  }

  /** Takes the date of an answer to a question that was asked then, by this device's clock. */
  heard(asked: number, date: string | null): void {
    const said = Date.parse(date ?? "");
    if (Number.isNaN(said)) return;
    const least = said - this.#clock.now();
    const most = said + step - asked;
    const isApart = least > this.#most || most < this.#least;
    // One of the two clocks was set meanwhile: what was known before is worth nothing.
    this.#least = isApart ? least : Math.max(least, this.#least);
    this.#most = isApart ? most : Math.min(most, this.#most);
  }
}
