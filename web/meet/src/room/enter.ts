import { createMeeting, type Meeting, type MeetingOptions } from "@conclave/client";
import { WaitingRoom, type WaitingRoomOptions } from "@conclave/client/pre-join";
import GroupWorker from "@conclave/client/strict/worker?worker";
import EncryptionWorker from "livekit-client/e2ee-worker?worker";
import { EarlyWorker } from "./early-worker";

/**
 * How long after one connection began the encryption worker of the next one starts, in milliseconds.
 * By then the meeting usually runs, and a move to another room does not wait for the worker's code.
 */
const nextWorkerAfter = 5000;

/** What the page gives to a meeting; the workers come from here. */
export type EnterOptions = Omit<MeetingOptions, "createEncryptionWorker" | "createGroupWorker">;

/**
 * Enters meetings, or waits to be admitted. In a module of its own, because the pre-join page does
 * not need this code.
 */
export class MeetingEntry {
  readonly #encryption = new EarlyWorker(() => new EncryptionWorker());
  readonly #group = new EarlyWorker(() => new GroupWorker());

  /** Starts the workers of a meeting that the person is about to join. */
  prepare(encryption: "standard" | "strict"): void {
    this.#encryption.prepare();
    if (encryption === "strict") this.#group.prepare();
  }

  wait(options: WaitingRoomOptions): WaitingRoom {
    return new WaitingRoom(options);
  }

  enter(options: EnterOptions): Meeting {
    return createMeeting({
      ...options,
      createEncryptionWorker: () => this.#takeEncryption(),
      createGroupWorker: () => this.#group.take(),
    });
  }

  #takeEncryption(): Worker {
    const worker = this.#encryption.take();
    setTimeout(() => this.#encryption.prepare(), nextWorkerAfter);
    return worker;
  }
}
