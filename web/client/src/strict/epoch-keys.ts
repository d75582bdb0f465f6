import type { Clock } from "../clock.js";
import { type EpochAcknowledgement, keyIndex } from "./group-protocol.js";

/** An epoch of a group, and the key index that its media keys have. */
export interface EpochRef {
  /** base64url. */
  readonly groupId: string;
  readonly epoch: number;
  readonly index: number;
}

/** The keys of one sender in one epoch, 32 bytes each. */
export interface SenderKeys {
  readonly identity: string;
  readonly media: Uint8Array<ArrayBuffer>;
  readonly data: Uint8Array<ArrayBuffer>;
}

export interface EpochKeysEvents {
  /** Others may send with these keys from now on. */
  readonly onInstall: (epoch: EpochRef, senders: readonly SenderKeys[]) => void;
  /** Sends the others word that this device can open what is sent in this epoch. */
  readonly onAcknowledge: (acknowledgement: EpochAcknowledgement) => void;
  /** This device sends with the keys of this epoch from now on; null: it sends nothing. */
  readonly onSend: (epoch: EpochRef | null) => void;
  /** Nobody sends with these keys any more. */
  readonly onErase: (epoch: EpochRef) => void;
}

/** A sender waits no longer than this for devices that cannot open the new epoch yet. */
export const switchAfter = 1000;
/** For how long the keys of an epoch stay after the next has begun. */
export const eraseAfter = 10_000;
/** For how many epochs acknowledgements are kept that came before this device entered the epoch. */
const earlyEpochs = 8;

/** When the keys of each epoch are installed, used for sending, and erased. */
export class EpochKeys {
  readonly #clock: Clock;
  readonly #events: EpochKeysEvents;
  readonly #erasing = new Set<() => void>();
  /** The epoch whose keys are installed at each index. */
  readonly #installed = new Map<number, EpochRef>();
  /** The devices that acknowledged an epoch before this device entered it. */
  readonly #early = new Map<string, Set<string>>();
  #current: EpochRef | null = null;
  #sending: EpochRef | null = null;
  /** The other devices in the current epoch. */
  #present: ReadonlySet<string> = new Set();
  /** The devices that can open what this device sends. */
  #openers: ReadonlySet<string> = new Set();
  /** Devices that open what this one sends now, but have not acknowledged the current epoch. */
  #missing = new Set<string>();
  /** Since when this device sends in an epoch that is over; null when it does not. */
  #overdueSince: number | null = null;
  #cancelSwitch: (() => void) | null = null;
  #isHeld = false;

  constructor(clock: Clock, events: EpochKeysEvents) {
    this.#clock = clock;
    this.#events = events;
  }

  /** The epoch that this device sends in; null when it sends nothing. */
  get sending(): EpochRef | null {
    return this.#sending;
  }

  /** The group is in a new epoch, with these senders; `me` is one of them. */
  enter(groupId: string, epoch: number, senders: readonly SenderKeys[], me: string): void {
    const current = { groupId, epoch, index: keyIndex(epoch) };
    this.#retire();
    this.#isHeld = false;
    this.#current = current;
    this.#installed.set(current.index, current);
    this.#events.onInstall(current, senders);
    this.#events.onAcknowledge({ group_id: groupId, epoch });
    const early = this.#early.get(nameOf(groupId, epoch));
    this.#early.delete(nameOf(groupId, epoch));
    this.#present = new Set(senders.map(({ identity }) => identity).filter((one) => one !== me));
    // Only devices that open the epoch before can miss something, and only if this one sends in it.
    const isGap = (one: string) => this.#openers.has(one) && !early?.has(one);
    this.#missing = new Set(this.#sending ? [...this.#present].filter(isGap) : []);
    // Epochs that follow each other quickly must not put the switch off again and again.
    const now = this.#clock.now();
    this.#overdueSince ??= now;
    const wait = Math.max(0, this.#overdueSince + switchAfter - now);
    if (this.#missing.size === 0 || wait === 0) this.#switch();
    else this.#cancelSwitch = this.#clock.after(wait, () => this.#switch());
  }

  /** Another device can open what is sent in this epoch. */
  acknowledged(identity: string, { group_id, epoch }: EpochAcknowledgement): void {
    const current = this.#current;
    if (current?.groupId === group_id && current.epoch === epoch) {
      if (this.#missing.delete(identity) && this.#missing.size === 0) this.#switch();
      return;
    }
    const name = nameOf(group_id, epoch);
    const early = this.#early.get(name) ?? new Set();
    early.add(identity);
    this.#early.delete(name); // it becomes the newest
    this.#early.set(name, early);
    const [oldest] = this.#early.keys();
    if (this.#early.size > earlyEpochs && oldest !== undefined) this.#early.delete(oldest);
  }

  /** Stops sending until the next epoch: the group seems to have left the one this device knows. */
  hold(): void {
    this.#cancelSwitch?.();
    this.#cancelSwitch = null;
    this.#overdueSince = null;
    this.#missing.clear(); // or the last acknowledgement would make the device send
    this.#isHeld = this.#current !== null;
    if (!this.#sending) return;
    this.#sending = null;
    this.#events.onSend(null);
  }

  /** Sends again after hold, because the group is still in the epoch that this device knows. */
  resume(): void {
    if (this.#isHeld) this.#switch();
  }

  /** The device is in no group any more. */
  leave(): void {
    this.hold();
    this.#isHeld = false;
    this.#retire();
    this.#current = null;
  }

  /** Erases everything now. */
  close(): void {
    this.leave();
    for (const cancel of this.#erasing) cancel();
    this.#erasing.clear();
    for (const epoch of this.#installed.values()) this.#events.onErase(epoch);
    this.#installed.clear();
  }

  /** The current epoch ends; its keys stay for what is on its way. */
  #retire(): void {
    this.#cancelSwitch?.();
    this.#cancelSwitch = null;
    const old = this.#current;
    if (!old) return;
    const cancel = this.#clock.after(eraseAfter, () => {
      this.#erasing.delete(cancel);
      // A later epoch may have taken the index.
      if (this.#installed.get(old.index) !== old) return;
      this.#installed.delete(old.index);
      this.#events.onErase(old);
    });
    this.#erasing.add(cancel);
  }

  #switch(): void {
    this.#cancelSwitch?.();
    this.#cancelSwitch = null;
    this.#overdueSince = null;
    this.#isHeld = false;
    if (!this.#current || this.#sending === this.#current) return;
    this.#sending = this.#current;
    this.#openers = this.#present;
    this.#events.onSend(this.#current);
  }
}

function nameOf(groupId: string, epoch: number): string {
  return `${groupId} ${epoch}`;
}
