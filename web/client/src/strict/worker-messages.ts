/** What the page and the worker of a strict meeting's groups tell each other. */
import type { EpochRef } from "./epoch-keys.js";
import type { EpochAcknowledgement, GroupPart } from "./group-protocol.js";
import type { GroupState, GroupTrouble } from "./group-state.js";

export interface GroupWorkerStart {
  readonly type: "start";
  readonly baseUrl: string;
  readonly ticket: string;
  /** The identity of this device. */
  readonly me: string;
  readonly room: string;
  /** The link secret; null when the link has none. */
  readonly linkSecret: Uint8Array<ArrayBuffer> | null;
}

/** A place is a breakout room's id; null: the main room. */
export type ToGroupWorker =
  | GroupWorkerStart
  /** The device goes into a place; it may be in the one before for a moment longer. */
  | { readonly type: "enter"; readonly place: string | null }
  | { readonly type: "leave"; readonly place: string | null }
  /** The part `group` of the event stream. */
  | { readonly type: "part"; readonly part: GroupPart | null }
  /** How much later it is at the service than on this device, in milliseconds. */
  | { readonly type: "time"; readonly ahead: number }
  | {
      readonly type: "acknowledged";
      readonly place: string | null;
      readonly identity: string;
      readonly acknowledgement: EpochAcknowledgement;
    }
  /** The network is back: do not wait any longer. */
  | { readonly type: "hurry" };

/** The keys of one sender in one epoch. No script can read them. */
export interface InstalledKeys {
  readonly identity: string;
  /** For HKDF, as LiveKit's frame encryption takes it. */
  readonly media: CryptoKey;
  /** For AES-GCM. */
  readonly data: CryptoKey;
}

export type FromGroupWorker = { readonly place: string | null } & (
  | {
      readonly type: "install";
      readonly epoch: EpochRef;
      readonly senders: readonly InstalledKeys[];
    }
  | { readonly type: "acknowledge"; readonly acknowledgement: EpochAcknowledgement }
  /** This device sends with the keys of this epoch from now on; null: it sends nothing. */
  | { readonly type: "send"; readonly epoch: EpochRef | null }
  | { readonly type: "erase"; readonly epoch: EpochRef }
  | { readonly type: "state"; readonly state: GroupState | null }
  | { readonly type: "trouble"; readonly trouble: GroupTrouble }
);
