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
  /** With the function that stops watching each. */
  readonly #recordings = new Map<Recording, () => void>();
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
    const stops = [
      recording.ended.subscribe(() => this.#ended.set(recording.ended.get())),
      recording.isUnsent.subscribe(() => this.#look()),
    ];
    this.#recordings.set(recording, () => {
      for (const stop of stops) stop();
    });
    this.#look();
  }

  /** Another call begins: forgets what is over. */
  begin(): void {
    this.#ended.set(null);
    for (const [recording, stop] of this.#recordings) {
      if (recording.isUnsent.get()) continue;
      stop();
      this.#recordings.delete(recording);
    }
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
    this.#isLeft.set([...this.#recordings.keys()].some(({ isUnsent }) => isUnsent.get()));
  }
}
