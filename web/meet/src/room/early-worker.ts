/** A worker that starts before it is needed, so that its code is there when it is. */
export class EarlyWorker {
  readonly #create: () => Worker;
  #ready: Worker | null = null;

  constructor(create: () => Worker) {
    this.#create = create;
  }

  prepare(): void {
    if (this.#ready) return;
    const worker = this.#create();
    // Nobody who takes this worker would learn of the error, so `take` makes a new one instead.
    worker.onerror = () => {
      if (this.#ready === worker) this.#ready = null;
    };
    this.#ready = worker;
  }

  take(): Worker {
    const worker = this.#ready ?? this.#create();
    this.#ready = null;
    worker.onerror = null;
    return worker;
  }
}
