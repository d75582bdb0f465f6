import type { Clock } from "./clock.js";
import type { LocalMedia } from "./local-media.js";
import type { KeyValueStore } from "./preferences.js";
import type { SeatStore } from "./seat-store.js";
import type { RoomInfo, Seat } from "./wire.js";

export interface MeetingOptions {
  readonly baseUrl: string;
  readonly seat: Seat;
  readonly localMedia: LocalMedia;
  /** Makes the worker that encrypts and decrypts; see the README for how bundlers find it. */
  readonly createEncryptionWorker: () => Worker;
  /** What look-up said of the room, to have something to show before the first event. */
  readonly room?: RoomInfo | null;
  /** Forgotten when the seat is over. */
  readonly seats?: SeatStore;
  /** Where the receipts of anonymous votes are kept: localStorage, in a browser. */
  readonly lasting?: KeyValueStore;
  /** Where it is kept what was dismissed, over a reload: sessionStorage, in a browser. */
  readonly passing?: KeyValueStore;
  readonly fetch?: typeof fetch;
  readonly clock?: Clock;
}
