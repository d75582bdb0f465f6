import { createMeeting, type Meeting, type MeetingOptions } from "@conclave/client";
import GroupWorker from "@conclave/client/strict/worker?worker";
import EncryptionWorker from "livekit-client/e2ee-worker?worker";
import { EarlyWorker } from "./early-worker";

/** What the page gives to a meeting; the workers come from here. */
export type EnterOptions = Omit<MeetingOptions, "createEncryptionWorker" | "createGroupWorker">;

/** Enters meetings. In a module of its own, because only a running meeting needs this code. */
export class MeetingEntry {
  readonly #encryption = new EarlyWorker(() => new EncryptionWorker());
  readonly #group = new EarlyWorker(() => new GroupWorker());

  /** Starts the workers of a meeting that the person is about to join. */
  prepare(encryption: "standard" | "strict"): void {
    this.#encryption.prepare();
    if (encryption === "strict") this.#group.prepare();
  }

  enter(options: EnterOptions): Meeting {
    return createMeeting({
      ...options,
      createEncryptionWorker: () => this.#encryption.take(),
      createGroupWorker: () => this.#group.take(),
    });
  }
}
