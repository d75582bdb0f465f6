import {
  BaseKeyProvider,
  ExternalE2EEKeyProvider,
  type KeyInfo,
  KeyProviderEvent,
  type RoomOptions,
} from "livekit-client";
import type { EpochRef } from "./strict/epoch-keys.js";
import type { KeyFollower, OwnKey, PlaceKeys } from "./strict/place-keys.js";
import type { InstalledKeys } from "./strict/worker-messages.js";
import type { MediaToken } from "./wire.js";

/** The keys of one connection's media. */
export interface MediaKeys {
  /** How the media library encrypts with them. */
  readonly encryption: (worker: Worker) => Pick<RoomOptions, "e2ee">;
  /** Sets what is known before anything can arrive, or noise would be played as sound. */
  readonly prepare: (credentials: MediaToken) => Promise<void>;
  /** Whether this device may send. */
  readonly maySend: boolean;
  /** Whether each sender has keys of their own, which come and go. */
  readonly areOfGroup: boolean;
  /** Whether there is a key to open what this person sends. */
  readonly open: (identity: string) => boolean;
  /** Whether there are keys of others, and none of this person. */
  readonly lack: (identity: string) => boolean;
  readonly close: () => void;
}

/**
 * Gives the worker its key once. livekit-client 2.23 repeats all keys for every track that anybody
 * publishes. Each time the worker would make the same key from the passphrase, which takes tens of
 * milliseconds, and everything else that it is told would wait meanwhile.
 */
class SharedKeyProvider extends ExternalE2EEKeyProvider {
  /** Empty, so that the library has nothing to repeat. */
  override getKeys(): KeyInfo[] {
    return [];
  }
}

/** One key for everybody, made from the passphrase that the service gives to those it lets in. */
export class PassphraseKeys implements MediaKeys {
  readonly maySend = true;
  readonly areOfGroup = false;
  readonly #provider = new SharedKeyProvider();

  /**
   * Data is in envelopes of our own. The library would also encrypt the names of the receivers, so
   * that the media server would pass on to everybody what is meant for some.
   */
  encryption(worker: Worker): Pick<RoomOptions, "e2ee"> {
    return { e2ee: { keyProvider: this.#provider, worker } };
  }

  async prepare({ e2ee_passphrase }: MediaToken): Promise<void> {
    if (!e2ee_passphrase) throw new Error("There is no passphrase.");
    await this.#provider.setKey(e2ee_passphrase);
  }

  open(): boolean {
    return true;
  }

  lack(): boolean {
    return false;
  }

  close(): void {}
}

export interface GroupKeysEvents {
  /** There are keys of other senders. */
  readonly onInstall: () => void;
  /** This device may send again, or may not any more. */
  readonly onMaySend: () => void;
}

/**
 * A key for each sender in each epoch of the group of a strict meeting. Receivers find the key of a
 * frame by its index, which the frame names.
 */
export class GroupKeys implements MediaKeys, KeyFollower {
  readonly areOfGroup = true;
  readonly #group: PlaceKeys;
  readonly #events: GroupKeysEvents;
  readonly #provider = new BaseKeyProvider({
    sharedKey: false,
    ratchetWindowSize: 0,
    keyringSize: 256,
    keySize: 256,
    // Frames may arrive before their keys, and must not spoil the index for those that follow.
    failureTolerance: -1,
  });
  /** Takes the place of keys that are over, because the media library cannot forget keys. */
  #noise: CryptoKey | null = null;
  #own: OwnKey | null = null;
  #unfollow: () => void = () => {};

  constructor(group: PlaceKeys, events: GroupKeysEvents) {
    this.#group = group;
    this.#events = events;
  }

  /** Data is in envelopes of our own, so that acknowledgements can be sent before the first key. */
  encryption(worker: Worker): Pick<RoomOptions, "e2ee"> {
    return { e2ee: { keyProvider: this.#provider, worker } };
  }

  async prepare(): Promise<void> {
    const bytes = crypto.getRandomValues(new Uint8Array(32));
    this.#noise = await crypto.subtle.importKey("raw", bytes, "HKDF", false, [
      "deriveBits",
      "deriveKey",
    ]);
    bytes.fill(0);
    this.#unfollow = this.#group.follow(this);
  }

  get maySend(): boolean {
    return this.#own !== null;
  }

  open(identity: string): boolean {
    return this.#group.knows(identity);
  }

  lack(identity: string): boolean {
    return this.#group.isIn && !this.#group.knows(identity);
  }

  close(): void {
    this.#unfollow();
  }

  /** This device's own key waits, since the media library would encrypt with it at once. */
  install({ index }: EpochRef, senders: readonly InstalledKeys[]): void {
    for (const { identity, media } of senders) {
      if (identity !== this.#me) this.#set(identity, index, media);
    }
    this.#events.onInstall();
  }

  send(own: OwnKey | null): void {
    const before = this.#own;
    this.#own = own;
    if (own) this.#set(own.identity, own.index, own.media, true);
    // Frames still in the encoder must also stay unreadable.
    else if (before && this.#noise) this.#set(before.identity, before.index, this.#noise, true);
    if ((own === null) !== (before === null)) this.#events.onMaySend();
  }

  erase(index: number, identities: readonly string[]): void {
    if (!this.#noise) return;
    for (const identity of identities) this.#set(identity, index, this.#noise);
  }

  get #me(): string {
    return this.#group.me;
  }

  #set(participantIdentity: string, keyIndex: number, key: CryptoKey, isOwn = false): void {
    this.#provider.emit(KeyProviderEvent.SetKey, { key, participantIdentity, keyIndex }, isOwn);
  }
}
