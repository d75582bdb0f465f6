import { type Clock, pause } from "../clock.js";
import { ServiceError } from "../service-error.js";
import type { PartStore, UploadNote, WaitingPart } from "./part-store.js";
import { isUploadOver, type UploadService, type UploadState } from "./upload-service.js";

/**
 * How an upload ended. `done`: the service has all of it. `full`, `limit`: the service has no room,
 * or the quota is used up. `over`: the service accepts no more. `too_late`: the service accepts no
 * more, and some parts are missing there. `deleted`: somebody deleted the recording.
 */
export type UploadEnd = "done" | "storage_full" | "limit_reached" | "over" | "too_late" | "deleted";

export interface UploaderOptions {
  readonly service: Pick<UploadService, "state" | "putPart" | "putIndex" | "finish" | "alive">;
  readonly store: PartStore;
  readonly note: UploadNote;
  readonly clock: Clock;
  /** The service has stored this many parts. */
  readonly onStored: (parts: number) => void;
  /** The service says that the recording has ended, while the device still records. */
  readonly onStopped: () => void;
  /** Nothing could be sent for a while, or something was sent again. */
  readonly onStalled: (isStalled: boolean) => void;
  readonly onEnd: (end: UploadEnd) => void;
}

/** How often the index is sent during the recording, in milliseconds. */
const indexEvery = 30_000;
/** After this long without a request, the device reports that it is still there. */
const aliveEvery = 15_000;
/** Between two attempts. The service waits longer for a device (internal/recording/times.go). */
const longestPause = 30_000;
/** After this long without success, people are told. */
const stalledAfter = 60_000;

/** Sends one thing; resolves with the service's answer. */
type Step = () => Promise<UploadState>;

/** Sends the parts of one recording in their order, and tries again until it succeeds. */
export class Uploader {
  readonly #options: UploaderOptions;
  #total: number | null;
  #toldEnd = false;
  #hasNewIndex: boolean;
  #indexSentAt: number;
  #sentAt: number;
  /**
   * How many attempts failed since a part was last stored or none waited, and when the first of them
   * began.
   */
  #failures = 0;
  #failingSince: number | null = null;
  #isStalled = false;
  #wake = new AbortController();
  #closed = false;

  constructor(options: UploaderOptions) {
    this.#options = options;
    this.#total = options.note.parts;
    // An earlier page left these parts, so the service may lack the newest index.
    this.#hasNewIndex = this.#total !== null;
    this.#indexSentAt = options.clock.now();
    this.#sentAt = this.#indexSentAt;
  }

  start(): void {
    void this.#run();
  }

  /** Another part is in the store, and the index with it. */
  added(): void {
    this.#hasNewIndex = true;
    this.#wake.abort();
  }

  /** Recording has ended, with this many parts. */
  finish(parts: number): void {
    this.#total = parts;
    this.#wake.abort();
  }

  /** Tries again now, if it waits for the next attempt. */
  hurry(): void {
    this.#wake.abort();
  }

  /** Stops. The parts stay in the store. */
  close(): void {
    this.#closed = true;
    this.#wake.abort();
  }

  async #run(): Promise<void> {
    while (!this.#closed) {
      // The next round covers everything that woke it up until now.
      if (this.#wake.signal.aborted) this.#wake = new AbortController();
      const began = this.#options.clock.now();
      try {
        const step = await this.#next();
        if (this.#closed) return;
        if (step === "done") {
          await this.#end("done");
          return;
        }
        if (step === "wait") {
          this.#getsOn();
          await this.#pause(aliveEvery);
          continue;
        }
        this.#heard(await this.#watched(step, began));
      } catch (error) {
        const end = await this.#refused(error);
        if (end) {
          await this.#end(end);
          return;
        }
        await this.#pause(this.#failed(began));
      }
    }
  }

  async #next(): Promise<Step | "wait" | "done"> {
    const { store, clock } = this.#options;
    const total = this.#total;
    const isIndexDue = total !== null || clock.now() - this.#indexSentAt >= indexEvery;
    if (this.#hasNewIndex && isIndexDue) {
      // Before it is read, because a part that is added meanwhile brings another.
      this.#hasNewIndex = false;
      const index = await store.index();
      // Before the end: the service accepts no index after the last part.
      if (index) return () => this.#sendIndex(index);
      this.#hasNewIndex = true; // there is none yet, or it is being written
    }
    if (total !== null && !this.#toldEnd) return () => this.#tellEnd(total);
    const [part] = await store.waiting();
    if (part) return () => this.#sendPart(part);
    if (total !== null) return "done";
    const isDue = clock.now() - this.#sentAt >= aliveEvery;
    return isDue ? () => this.#sayAlive() : "wait";
  }

  /** Takes a step that began at a time. People are told while its request hangs, not only after. */
  async #watched(step: Step, began: number): Promise<UploadState> {
    const { clock } = this.#options;
    const left = (this.#failingSince ?? began) + stalledAfter - clock.now();
    const cancel = clock.after(Math.max(0, left), () => {
      if (!this.#closed) this.#setStalled(true);
    });
    try {
      return await step();
    } finally {
      cancel();
    }
  }

  async #sendIndex(index: Uint8Array<ArrayBuffer>): Promise<UploadState> {
    try {
      const state = await this.#options.service.putIndex(index);
      this.#indexSentAt = this.#options.clock.now();
      return state;
    } catch (error) {
      this.#hasNewIndex = true;
      throw error;
    }
  }

  async #tellEnd(parts: number): Promise<UploadState> {
    const state = await this.#options.service.finish(parts);
    this.#toldEnd = true;
    return state;
  }

  async #sayAlive(): Promise<UploadState> {
    const state = await this.#options.service.alive();
    this.#getsOn();
    return state;
  }

  async #sendPart(part: WaitingPart): Promise<UploadState> {
    const { service, store, onStored } = this.#options;
    const state = await service.putPart(part.index, part.endsMs, await store.get(part));
    await store.delete(part);
    this.#getsOn();
    onStored(part.index + 1);
    return state;
  }

  #heard(state: UploadState): void {
    this.#sentAt = this.#options.clock.now();
    if (state.ended && this.#total === null) this.#options.onStopped();
  }

  /** The upload makes progress. Not called for an index, because parts may still fail. */
  #getsOn(): void {
    this.#failures = 0;
    this.#failingSince = null;
    this.#setStalled(false);
  }

  /** Returns how long to wait before the next attempt, after one that began at a time. */
  #failed(began: number): number {
    this.#failingSince ??= began;
    if (this.#options.clock.now() - this.#failingSince >= stalledAfter) this.#setStalled(true);
    this.#failures += 1;
    return Math.min(longestPause, 1000 * 2 ** (this.#failures - 1));
  }

  #setStalled(isStalled: boolean): void {
    if (isStalled === this.#isStalled) return;
    this.#isStalled = isStalled;
    this.#options.onStalled(isStalled);
  }

  /**
   * How a failure ends the upload; null if trying again may help. Only the service's own answer
   * ends an upload, because the error of a proxy or a full disk may pass.
   */
  async #refused(error: unknown): Promise<UploadEnd | null> {
    if (!(error instanceof ServiceError)) return null;
    switch (error.code) {
      case "storage_full":
      case "limit_reached":
        return error.code;
      case "part_conflict":
      case "part_out_of_order":
        return this.#catchUp();
      case "recording_over":
        return this.#over();
      default:
        return isUploadOver(error) ? "over" : null;
    }
  }

  /** The service accepts no more. It answers with the state unless the recording was deleted. */
  async #over(): Promise<UploadEnd | null> {
    try {
      await this.#options.service.state();
    } catch (error) {
      return isUploadOver(error) ? "deleted" : null;
    }
    return (await this.#hasUnsent()) ? "too_late" : "over";
  }

  /** A store that cannot be read may still hold parts. */
  async #hasUnsent(): Promise<boolean> {
    const waiting = await this.#options.store.waiting().catch(() => null);
    return waiting === null || waiting.length > 0;
  }

  /** The service has other parts than this device assumed. */
  async #catchUp(): Promise<UploadEnd | null> {
    const { service, store } = this.#options;
    try {
      const { parts } = await service.state();
      const [first] = await store.waiting();
      if (!first || first.index > parts) return "over"; // a part in between is lost
      if (first.index < parts) await store.delete(first);
      return null;
    } catch (error) {
      return isUploadOver(error) ? "over" : null;
    }
  }

  async #end(end: UploadEnd): Promise<void> {
    this.#closed = true;
    this.#setStalled(false);
    await this.#options.store.clear().catch(() => {});
    this.#options.onEnd(end);
  }

  async #pause(milliseconds: number): Promise<void> {
    await pause(this.#options.clock, milliseconds, this.#wake.signal);
  }
}
