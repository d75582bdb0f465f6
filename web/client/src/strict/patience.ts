import type { Clock } from "../clock.js";

const firstPause = 250;
const firstRejoinPause = 1000;
/** So that a device which refused several groups is back before its turn is over: 10 seconds. */
const longestRejoinPause = 5000;
const longestPause = 10_000;
/** How often the first pause is doubled for a device that waits for its turn: 2 seconds. */
const turnPause = 3;
/** A device that stayed in its group for this long joins again without a pause. */
const calmAfter = 15_000;

/** How long a device waits after something failed: longer each time. */
export class Patience {
  readonly #clock: Clock;
  #failures = 0;
  #retryAt = 0;
  #rejoins = 0;
  #rejoinedAt = Number.NEGATIVE_INFINITY;
  #rejoinAt = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Nothing is tried again before this time. */
  get retryAt(): number {
    return this.#retryAt;
  }

  /** The device does not announce itself again before this time, whatever it hears. */
  get rejoinAt(): number {
    return this.#rejoinAt;
  }

  worked(): void {
    this.#failures = 0;
  }

  /** Something has changed, so what failed a moment ago may succeed now. */
  hurry(): void {
    this.#retryAt = 0;
  }

  failed(): void {
    this.rests(this.#failures);
    this.#failures += 1;
  }

  /** Somebody else comes first, for a time that the device does not know. */
  comesLater(): void {
    this.rests(turnPause);
  }

  /** Nothing is tried for a while, after `times` such pauses in a row: longer each time. */
  rests(times: number): void {
    this.#retryAt = this.#clock.now() + this.#spread(firstPause * 2 ** times);
  }

  /**
   * The device has to join again: when that is rare, at once or at some time within `over`
   * milliseconds, else after a pause that grows.
   */
  rejoins(over = 0): void {
    const now = this.#clock.now();
    const isRare = now - this.#rejoinedAt > calmAfter;
    this.#rejoins = isRare ? 0 : this.#rejoins + 1;
    const pause = Math.min(firstRejoinPause * 2 ** (this.#rejoins - 1), longestRejoinPause);
    this.#rejoinAt = now + (isRare ? this.#clock.random() * over : this.#spread(pause));
    this.#rejoinedAt = this.#rejoinAt;
  }

  /** Devices that failed together do not try again together. */
  #spread(milliseconds: number): number {
    return Math.min(milliseconds, longestPause) * (0.5 + this.#clock.random());
  }
}
