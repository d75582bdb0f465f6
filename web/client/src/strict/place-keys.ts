import type { Clock } from "../clock.js";
import { type Envelopes, epochOf, openInEpoch, sealInEpoch } from "../envelope.js";
import type { EpochRef } from "./epoch-keys.js";
import type { InstalledKeys } from "./worker-messages.js";

/** Takes over each change of a place's keys. */
export interface KeyFollower {
  /** Others may send with these keys from now on. */
  readonly install: (epoch: EpochRef, senders: readonly InstalledKeys[]) => void;
  /** This device sends with this key of its own from now on; null: it sends nothing. */
  readonly send: (own: OwnKey | null) => void;
  /** None of these devices sends with the key at this index any more. */
  readonly erase: (index: number, identities: readonly string[]) => void;
}

export interface OwnKey {
  readonly identity: string;
  readonly index: number;
  readonly media: CryptoKey;
}

interface InstalledEpoch {
  readonly epoch: EpochRef;
  readonly senders: ReadonlyMap<string, InstalledKeys>;
}

/** For how long a packet of an epoch that is not known yet is kept. */
const earlyTime = 10_000;
/**
 * How many packets of unknown epochs are kept at most, of one sender and of all. What a sender may
 * send in two seconds (rate-limiter.ts) is kept, new messages and repeated ones.
 */
const earlyLimitOfOne = 20;
const earlyLimit = 1000;

/** The keys of the group of one place, as the worker gave them to this page. */
export class PlaceKeys implements Envelopes {
  readonly me: string;
  readonly #clock: Clock;
  readonly #installed = new Map<string, InstalledEpoch>();
  readonly #followers = new Set<KeyFollower>();
  /** The sender of each packet that waits, by the function that checks whether it can be opened. */
  readonly #early = new Map<() => void, string>();
  #sending: InstalledEpoch | null = null;

  constructor(me: string, clock: Clock) {
    this.me = me;
    this.#clock = clock;
  }

  /** Whether this device may send, because it has the keys of an epoch to send with. */
  get isSending(): boolean {
    return this.#sending !== null;
  }

  /** Whether this device has the keys of an epoch. */
  get isIn(): boolean {
    return this.#installed.size > 0;
  }

  /** The other people who can open what this device sends now; nobody while it sends nothing. */
  get readers(): ReadonlySet<string> {
    const senders = [...(this.#sending?.senders.keys() ?? [])];
    return new Set(senders.filter((identity) => identity !== this.me));
  }

  /** Whether there are keys to open what this person sends. */
  knows(identity: string): boolean {
    return [...this.#installed.values()].some(({ senders }) => senders.has(identity));
  }

  install(epoch: EpochRef, senders: readonly InstalledKeys[]): void {
    const byIdentity = new Map(senders.map((one) => [one.identity, one]));
    this.#replace(epoch, byIdentity);
    this.#installed.set(nameOf(epoch), { epoch, senders: byIdentity });
    for (const follower of this.#followers) follower.install(epoch, senders);
    for (const look of [...this.#early.keys()]) look();
  }

  send(epoch: EpochRef | null): void {
    this.#sending = epoch && (this.#installed.get(nameOf(epoch)) ?? null);
    for (const follower of this.#followers) follower.send(this.#own());
  }

  erase(epoch: EpochRef): void {
    const erased = this.#installed.get(nameOf(epoch));
    if (!erased) return;
    this.#installed.delete(nameOf(epoch));
    if (this.#sending === erased) this.send(null);
    for (const follower of this.#followers) follower.erase(epoch.index, [...erased.senders.keys()]);
  }

  /** Erases everything. */
  close(): void {
    for (const { epoch } of [...this.#installed.values()]) this.erase(epoch);
  }

  /** Gives the follower the keys, and every change until the returned function is called. */
  follow(follower: KeyFollower): () => void {
    for (const { epoch, senders } of this.#installed.values()) {
      follower.install(epoch, [...senders.values()]);
    }
    follower.send(this.#own());
    this.#followers.add(follower);
    return () => {
      this.#followers.delete(follower);
    };
  }

  readonly seal = (topic: string, sender: string, message: unknown) => {
    const key = this.#sending?.senders.get(sender)?.data;
    if (!this.#sending || !key) {
      return Promise.reject(new Error("The keys of the meeting are not there yet."));
    }
    return sealInEpoch(this.#sending.epoch.epoch, key, topic, sender, message);
  };

  readonly open = async (topic: string, sender: string, packet: Uint8Array): Promise<unknown> => {
    const epoch = epochOf(packet);
    if (epoch === null) return null;
    if (!this.#dataKey(epoch, sender)) await this.#untilKnown(epoch, sender);
    const key = this.#dataKey(epoch, sender);
    return key ? openInEpoch(key, topic, sender, packet) : null;
  };

  /** The installed epoch of this number. There is one at most: two would have the same index. */
  #ofNumber(epoch: number): InstalledEpoch | undefined {
    return [...this.#installed.values()].find((one) => one.epoch.epoch === epoch);
  }

  #dataKey(epoch: number, sender: string): CryptoKey | undefined {
    return this.#ofNumber(epoch)?.senders.get(sender)?.data;
  }

  /** Waits for the keys of an epoch that others have entered before this device. */
  #untilKnown(epoch: number, sender: string): Promise<void> {
    const isKnown = this.#ofNumber(epoch) !== undefined;
    const many = [...this.#early.values()].filter((one) => one === sender).length;
    const isTooMany = many >= earlyLimitOfOne || this.#early.size >= earlyLimit;
    if (isKnown || isTooMany) return Promise.resolve();
    return new Promise((resolve) => {
      const finish = () => {
        cancel();
        this.#early.delete(look);
        resolve();
      };
      const look = () => {
        if (this.#ofNumber(epoch)) finish();
      };
      const cancel = this.#clock.after(earlyTime, finish);
      this.#early.set(look, sender);
    });
  }

  /** Removes the old keys at an epoch's index: a sender not in the epoch would keep theirs. */
  #replace({ index }: EpochRef, next: ReadonlyMap<string, InstalledKeys>): void {
    for (const [name, { epoch, senders }] of this.#installed) {
      if (epoch.index !== index) continue;
      this.#installed.delete(name);
      const gone = [...senders.keys()].filter((identity) => !next.has(identity));
      for (const follower of this.#followers) follower.erase(index, gone);
    }
  }

  #own(): OwnKey | null {
    const own = this.#sending?.senders.get(this.me);
    if (!this.#sending || !own) return null;
    return { identity: this.me, index: this.#sending.epoch.index, media: own.media };
  }
}

function nameOf({ groupId, epoch }: EpochRef): string {
  return `${groupId} ${epoch}`;
}
