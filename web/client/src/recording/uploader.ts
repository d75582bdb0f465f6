import { type Clock, pause } from "../clock.js";
import { ServiceError } from "../service.js";
import type { PartStore, UploadNote, WaitingPart } from "./part-store.js";
import { isUploadOver, type UploadService, type UploadState } from "./upload-service.js";

/**
 * How an upload ended. `done`: all of it is stored. `full`, `limit`: the service has no room or the
 * quota is used up. `over`: the service takes no more of it. `too_late`: it takes no more either, and
 * parts are left that it does not have.
 */
export type UploadEnd = "done" | "storage_full" | "limit_reached" | "over" | "too_late";

export interface UploaderOptions {
  readonly service: Pick<UploadService, "state" | "putPart" | "putIndex" | "finish" | "alive">;
  readonly store: PartStore;
  readonly note: UploadNote;
  readonly clock: Clock;
  /** So many parts are stored by the service. */
  readonly onStored: (parts: number) => void;
  /** The service says that recording has ended, while the device still records. */
  readonly onStopped: () => void;
  /** Nothing could be sent for a while, or something was sent again. */
  readonly onStalled: (isStalled: boolean) => void;
  readonly onEnd: (end: UploadEnd) => void;
}

/** How often the index is sent while the recording goes on. */
const indexEvery = 30_000;
/** A device that has sent nothing for so long says that it is there. */
const aliveEvery = 15_000;
const longestPause = 30_000;
/** After so long without success people should know. */
const stalledAfter = 60_000;

/** One thing to send; resolves with what the service answered. */
type Step = () => Promise<UploadState>;

/** Sends the parts of one recording in their order, and tries again for as long as it takes. */
export class Uploader {
  readonly #options: UploaderOptions;
  #total: number | null;
  #toldEnd = false;
  #hasNewIndex: boolean;
  #indexSentAt: number;
  #sentAt: number;
  /** Attempts that failed since a part was stored, or none waited; and since when they fail. */
  #failures = 0;
  #failingSince: number | null = null;
  #isStalled = false;
  #wake = new AbortController();
  #closed = false;

  constructor(options: UploaderOptions) {
    this.#options = options;
    this.#total = options.note.parts;
    // Left by a page that is gone: nobody knows whether the service has the newest index.
    this.#hasNewIndex = this.#total !== null;
    this.#indexSentAt = options.clock.now();
    this.#sentAt = this.#indexSentAt;
  }

  start(): void {
    void this.#run();
  }

  /** There is another part in the store, and an index that knows it. */
  added(): void {
    this.#hasNewIndex = true;
    this.#wake.abort();
  }

  /** Recording has ended, with so many parts. */
  finish(parts: number): void {
    this.#total = parts;
    this.#wake.abort();
  }

  /** Tries again now, if it waits. */
  hurry(): void {
    this.#wake.abort();
  }

  /** Stops; what is in the store stays there. */
  close(): void {
    this.#closed = true;
    this.#wake.abort();
  }

  async #run(): Promise<void> {
    while (!this.#closed) {
      // What woke it up until now is seen by looking again.
      if (this.#wake.signal.aborted) this.#wake = new AbortController();
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
        this.#heard(await step());
      } catch (error) {
        const end = await this.#refused(error);
        if (end) {
          await this.#end(end);
          return;
        }
        await this.#pause(this.#failed());
      }
    }
  }

  async #next(): Promise<Step | "wait" | "done"> {
    const { store, clock } = this.#options;
    const total = this.#total;
    const isIndexDue = total !== null || clock.now() - this.#indexSentAt >= indexEvery;
    const index = this.#hasNewIndex && isIndexDue ? await store.index() : null;
    // Before the end is told: with the last part the service takes no index any more.
    if (index) return () => this.#sendIndex(index);
    if (total !== null && !this.#toldEnd) return () => this.#tellEnd(total);
    const [part] = await store.waiting();
    if (part) return () => this.#sendPart(part);
    if (total !== null) return "done";
    const isDue = clock.now() - this.#sentAt >= aliveEvery;
    return isDue ? () => this.#sayAlive() : "wait";
  }

  async #sendIndex(index: Uint8Array<ArrayBuffer>): Promise<UploadState> {
    this.#hasNewIndex = false;
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

  /** An index that arrives while parts do not is no sign of this. */
  #getsOn(): void {
    this.#failures = 0;
    this.#failingSince = null;
    this.#setStalled(false);
  }

  /** Says how long to wait before the next attempt. */
  #failed(): number {
    const now = this.#options.clock.now();
    this.#failingSince ??= now;
    if (now - this.#failingSince >= stalledAfter) this.#setStalled(true);
    this.#failures += 1;
    return Math.min(longestPause, 1000 * 2 ** (this.#failures - 1));
  }

  #setStalled(isStalled: boolean): void {
    if (isStalled === this.#isStalled) return;
    this.#isStalled = isStalled;
    this.#options.onStalled(isStalled);
  }

  /**
   * What a failure means; null when trying again may help. Only the service's own word ends an
   * upload: what a proxy in between answers may be mended, and so may a disk.
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
        return (await this.#hasUnsent()) ? "too_late" : "over";
      default:
        return isUploadOver(error) ? "over" : null;
    }
  }

  /** A store that cannot be read may hold parts. */
  async #hasUnsent(): Promise<boolean> {
    const waiting = await this.#options.store.waiting().catch(() => null);
    return waiting === null || waiting.length > 0;
  }

  /** The service has other parts than this device thinks. */
  async #catchUp(): Promise<UploadEnd | null> {
    const { service, store } = this.#options;
    try {
      const { parts } = await service.state();
      const [first] = await store.waiting();
      if (!first || first.index > parts) return "over"; // one in between is lost
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
