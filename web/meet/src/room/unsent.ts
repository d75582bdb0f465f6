import { type Observable, Value } from "@conclave/client/pre-join";
import type { RecordingEnd } from "@conclave/client/recording/recorder";

/** What makes recordings, and sends them. */
export interface WatchedRecorder {
  /** Whether the person has an account, with which they find what it records. */
  readonly isOfMember: boolean;
  /** Whether it records, or has something to send. */
  readonly isUnsent: Observable<boolean>;
  /** Whether nothing of it could be sent for a while. */
  readonly isStalled: Observable<boolean>;
  /** Why a recording ended, or why the rest of it could not be sent. */
  readonly ended: Observable<RecordingEnd | null>;
}

/** Why not all of a recording could be sent; null if it was. */
export function lossOf(end: RecordingEnd | null) {
  switch (end) {
    case "storage_full":
    case "limit_reached":
    case "too_late":
    case "deleted":
      return end;
    default:
      return null;
  }
}

/**
 * What this page still has to send of its recordings. Sending goes on after the call, and ends with
 * the page.
 */
export class Unsent {
  /** Each recorder, with the function that stops watching it. */
  readonly #recorders = new Map<WatchedRecorder, () => void>();
  readonly #hasRest = new Value(false);
  readonly #isStalled = new Value(false);
  readonly #ended = new Value<RecordingEnd | null>(null);
  #isOfMember = false;

  /** True until everything is sent, or nothing more can be. */
  get hasRest(): Observable<boolean> {
    return this.#hasRest;
  }

  /** Whether nothing could be sent for a while. The rest waits here, and is tried again. */
  get isStalled(): Observable<boolean> {
    return this.#isStalled;
  }

  /** How the last recording of this call ended, or the sending of it. */
  get ended(): Observable<RecordingEnd | null> {
    return this.#ended;
  }

  /** Whether everything is sent, so that the page may close without a word. */
  get isDone(): boolean {
    return !this.#hasRest.get() && lossOf(this.#ended.get()) === null;
  }

  /** Whether the person finds the recordings of this call with their account. */
  get isOfMember(): boolean {
    return this.#isOfMember;
  }

  watch(recorder: WatchedRecorder): void {
    this.#isOfMember = recorder.isOfMember;
    if (this.#recorders.has(recorder)) return;
    const stops = [
      recorder.ended.subscribe(() => this.#ended.set(recorder.ended.get())),
      recorder.isUnsent.subscribe(() => this.#look()),
      recorder.isStalled.subscribe(() => this.#look()),
    ];
    this.#recorders.set(recorder, () => {
      for (const stop of stops) stop();
    });
    this.#look();
  }

  /** Another call begins: forgets what is over. */
  begin(): void {
    this.#ended.set(null);
    for (const [recorder, stop] of this.#recorders) {
      if (recorder.isUnsent.get()) continue;
      stop();
      this.#recorders.delete(recorder);
    }
  }

  /** Calls `act` once everything is sent, or at once if nothing is waiting. */
  whenSent(act: () => void): void {
    if (!this.#hasRest.get()) {
      act();
      return;
    }
    const stop = this.#hasRest.subscribe(() => {
      if (this.#hasRest.get()) return;
      stop();
      act();
    });
  }

  #look(): void {
    const recorders = [...this.#recorders.keys()];
    this.#isStalled.set(recorders.some(({ isStalled }) => isStalled.get()));
    this.#hasRest.set(recorders.some(({ isUnsent }) => isUnsent.get()));
  }
}
