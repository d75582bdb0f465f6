import type { Clock } from "./clock.js";
import type { LocalMedia } from "./local-media.js";
import type { KeyValueStore } from "./preferences.js";
import type { SeatStore } from "./seat-store.js";
import type { RoomInfo, Seat } from "./wire.js";

export interface MeetingOptions {
  readonly baseUrl: string;
  readonly seat: Seat;
  readonly localMedia: LocalMedia;
  /** Makes the worker that encrypts and decrypts. The README says how bundlers find it. */
  readonly createEncryptionWorker: () => Worker;
  /** Makes the worker of `@conclave/client/strict/worker`, which has the keys of strict meetings. */
  readonly createGroupWorker: () => Worker;
  /**
   * For strict rooms: the link secret, from the link that the person opened; see `readLinkSecret`.
   * Null or absent if the link has none.
   */
  readonly linkSecret?: Uint8Array<ArrayBuffer> | null;
  /** The room from the look-up, shown until the first event arrives. */
  readonly room?: RoomInfo | null;
  /** Keeps the seat's ticket; it is removed when the seat is over. */
  readonly seats?: SeatStore;
  /** Where the receipts of anonymous votes are kept: localStorage, in a browser. */
  readonly lasting?: KeyValueStore;
  /** Keeps across a reload what the person dismissed: sessionStorage, in a browser. */
  readonly passing?: KeyValueStore;
  readonly fetch?: typeof fetch;
  readonly clock?: Clock;
}
