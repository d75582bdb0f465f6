import type { Clock } from "./clock.js";
import { type Observable, Value } from "./observable.js";

/** Whole seconds until a time on the service's clock; null when there is no such time. */
export class Countdown {
  readonly #clock: Clock;
  readonly #serviceNow: () => number;
  readonly #seconds = new Value<number | null>(null);
  #end: number | null = null;
  #cancel: () => void = () => {};

  constructor(clock: Clock, serviceNow: () => number) {
    this.#clock = clock;
    this.#serviceNow = serviceNow;
  }

  get seconds(): Observable<number | null> {
    return this.#seconds;
  }

  /** Sets the time to count down to; null stops counting. */
  until(time: string | null): void {
    const end = time === null ? Number.NaN : Date.parse(time);
    this.#end = Number.isNaN(end) ? null : end;
    this.#tick();
  }

  close(): void {
    this.#cancel();
  }

  #tick(): void {
    this.#cancel();
    if (this.#end === null) {
      this.#seconds.set(null);
      return;
    }
    const left = Math.max(0, this.#end - this.#serviceNow());
    // Rounded up, so that it shows 0 only when the time is over.
    const seconds = Math.ceil(left / 1000);
    this.#seconds.set(seconds);
    if (seconds === 0) return;
    this.#cancel = this.#clock.after(left - (seconds - 1) * 1000, () => this.#tick());
  }
}
