import type { Clock } from "./clock.js";

/**
 * How long after the last one a spare worker is started, in milliseconds, when the device has
 * nothing left to do for the connection that took it.
 */
const restartAfter = 2000;
/** How long an unwanted spare is kept, for the move that ends the breakout rooms. */
const dropAfter = 10_000;

/**
 * Starts the worker that encrypts before a connection needs it. Loading it takes tens of
 * milliseconds in which a move would wait.
 */
export class SpareWorker {
  readonly #create: () => Worker;
  readonly #clock: Clock;
  #spare: Worker | null = null;
  #isWanted = false;
  #cancel: () => void = () => {};

  constructor(create: () => Worker, clock: Clock) {
    this.#create = create;
    this.#clock = clock;
  }

  /** Whether another connection is likely soon. */
  want(isWanted: boolean): void {
    if (this.#isWanted === isWanted) return;
    this.#isWanted = isWanted;
    this.#plan();
  }

  /** A worker for a connection, which terminates it. */
  take = (): Worker => {
    const worker = this.#spare ?? this.#create();
    this.#spare = null;
    this.#plan();
    return worker;
  };

  close(): void {
    this.#isWanted = false;
    this.#cancel();
    this.#drop();
  }

  #plan(): void {
    this.#cancel();
    this.#cancel = this.#isWanted
      ? this.#clock.after(restartAfter, () => this.#start())
      : this.#clock.after(dropAfter, () => this.#drop());
  }

  #start(): void {
    if (this.#spare) return;
    try {
      const worker = this.#create();
      this.#spare = worker;
      worker.addEventListener("error", () => {
        if (this.#spare === worker) this.#drop();
      });
    } catch {
      // The connection that finds no spare says why it cannot have one.
    }
  }

  #drop(): void {
    this.#spare?.terminate();
    this.#spare = null;
  }
}
