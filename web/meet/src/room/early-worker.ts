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
    // Who takes it later would not hear of this: they get another, and hear what comes of that.
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
