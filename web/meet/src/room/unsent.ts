import { type Observable, Value } from "@conclave/client/door";
import type { RecordingEnd } from "@conclave/client/recording/recorder";

/** What makes recordings, and sends them. */
export interface Recording {
  /** Whether it records, or has something to send. */
  readonly isUnsent: Observable<boolean>;
  /** Why a recording ended, or why the rest of it could not be sent. */
  readonly ended: Observable<RecordingEnd | null>;
}

/**
 * What this page still has to send of its recordings. Sending goes on after the call, and ends with
 * the page.
 */
export class Unsent {
  readonly #recordings = new Set<Recording>();
  readonly #isLeft = new Value(false);
  readonly #ended = new Value<RecordingEnd | null>(null);

  /** True until everything is sent, or nothing more can be. */
  get isLeft(): Observable<boolean> {
    return this.#isLeft;
  }

  /** How the last recording of this call ended, or the sending of it. */
  get ended(): Observable<RecordingEnd | null> {
    return this.#ended;
  }

  watch(recording: Recording): void {
    if (this.#recordings.has(recording)) return;
    this.#recordings.add(recording);
    recording.ended.subscribe(() => this.#ended.set(recording.ended.get()));
    recording.isUnsent.subscribe(() => this.#look());
    this.#look();
  }

  /** Another call begins. */
  forgetEnd(): void {
    this.#ended.set(null);
  }

  /** Calls `act` when nothing is left: at once, if nothing is. */
  whenSent(act: () => void): void {
    if (!this.#isLeft.get()) {
      act();
      return;
    }
    const stop = this.#isLeft.subscribe(() => {
      if (this.#isLeft.get()) return;
      stop();
      act();
    });
  }

  #look(): void {
    this.#isLeft.set([...this.#recordings].some(({ isUnsent }) => isUnsent.get()));
  }
}
