import type { Clock } from "./clock.js";
import type { ChatPacket } from "./messages.js";

/**
 * For how long a message is kept, in milliseconds, not counting the time without a connection:
 * longer than a person without a connection stays listed.
 */
const keptFor = 60_000;
/** How many are kept: half of what a receiver takes from one person at a time (rate-limiter.ts). */
const mostKept = 10;
/** How many people one packet names at most, so that it stays small. */
const mostNamed = 100;
/**
 * How long people who can be reached again are gathered, in milliseconds: after a failure of the
 * media server all of them come back in a moment.
 */
const gatherFor = 200;
/** How long to wait for people who cannot be sent anything right now, in milliseconds. */
const retryAfter = 1000;
/**
 * How long to wait before the same person is sent messages again, in milliseconds: longer than the
 * period over which a receiver counts messages.
 */
const pauseBetween = 3000;

interface SentMessage {
  readonly packet: ChatPacket;
  /** A breakout room's id; null: the main room. */
  readonly place: string | null;
  /** Who was listed as being in the room at that time, whether connected or not. */
  readonly to: ReadonlySet<string>;
  readonly until: number;
}

export interface MissedMessagesOptions {
  readonly clock: Clock;
  /** The other people who can open what this device sends now; null: everybody in the room. */
  readonly readers: () => ReadonlySet<string> | null;
  readonly send: (packet: ChatPacket, to: readonly string[]) => Promise<unknown>;
}

/**
 * Sends people again what this device sent them in the last minute and they may have missed. The
 * media server passes a message on only to those who are connected at that moment, and keeps
 * nothing. Receivers drop the messages that they have by their ids.
 *
 * People who came later do not get the messages: they are not named as receivers, and in a strict
 * meeting nothing is repeated with keys that they have.
 */
export class MissedMessages {
  readonly #options: MissedMessagesOptions;
  #kept: readonly SentMessage[] = [];
  #place: string | null = null;
  /** Those who will be sent messages again. */
  #waiting = new Set<string>();
  /** When people were sent messages again, by identity. */
  readonly #repeatedAt = new Map<string, number>();
  /**
   * When people were reached, by identity. What was sent since may have been sealed with keys that
   * they lack, so it is sent again when the keys change.
   */
  readonly #reachedAt = new Map<string, number>();
  #cancel: (() => void) | null = null;
  #leftAt: number | null = null;
  #isClosed = false;

  constructor(options: MissedMessagesOptions) {
    this.#options = options;
  }

  add(packet: ChatPacket, place: string | null, to: readonly string[]): void {
    const message = { packet, place, to: new Set(to), until: this.#now + keptFor };
    this.#kept = [...this.#kept, message].slice(-mostKept);
    const readers = this.#options.readers();
    if (readers)
      this.#wait(
        to.filter((identity) => !readers.has(identity)),
        retryAfter,
      );
  }

  /** This device has connected to a room, perhaps again. */
  enter(place: string | null): void {
    const away = this.#leftAt === null ? 0 : Math.max(0, this.#now - this.#leftAt);
    const latest = this.#now + keptFor;
    this.#leftAt = null;
    this.#kept = this.#kept.map((message) => ({
      ...message,
      until: Math.min(message.until + away, latest),
    }));
    this.#place = place;
    this.back();
  }

  /** The connection works again. */
  back(): void {
    this.#reached(this.#receivers());
  }

  /** This device has lost its connection. */
  left(): void {
    this.#stop();
    this.#leftAt ??= this.#now;
  }

  /** Another device in this room can be reached, perhaps again. */
  reachable(place: string | null, identity: string): void {
    if (place !== this.#place || this.#leftAt !== null) return; // enter repeats everything
    this.#reached([identity]);
  }

  /** Other people can open what this device sends from now on. */
  readersChanged(): void {
    if (this.#leftAt !== null) return; // enter repeats everything
    const since = this.#now - keptFor;
    for (const [identity, at] of this.#reachedAt) {
      if (at <= since) this.#reachedAt.delete(identity);
    }
    this.#wait(this.#reachedAt.keys(), gatherFor);
  }

  close(): void {
    this.#stop();
    this.#isClosed = true;
  }

  get #now(): number {
    return this.#options.clock.now();
  }

  #stop(): void {
    this.#cancel?.();
    this.#cancel = null;
    this.#waiting.clear();
  }

  /** Everybody who was sent a message in this room that is still kept. */
  #receivers(): ReadonlySet<string> {
    return new Set(this.#inThisRoom().flatMap(({ to }) => [...to]));
  }

  #inThisRoom(): readonly SentMessage[] {
    const now = this.#now;
    this.#kept = this.#kept.filter(({ until }) => until > now);
    return this.#kept.filter(({ place }) => place === this.#place);
  }

  #reached(people: Iterable<string>): void {
    const reached = [...people];
    for (const identity of reached) this.#reachedAt.set(identity, this.#now);
    this.#wait(reached, gatherFor);
  }

  #wait(people: Iterable<string>, time: number): void {
    if (this.#isClosed) return;
    for (const identity of people) this.#waiting.add(identity);
    if (this.#waiting.size === 0) return;
    this.#cancel ??= this.#options.clock.after(time, () => {
      this.#cancel = null;
      this.#repeat();
    });
  }

  #repeat(): void {
    const now = this.#now;
    const readers = this.#options.readers();
    const receivers = this.#receivers();
    const people = [...this.#waiting].filter((identity) => receivers.has(identity));
    this.#waiting.clear();
    for (const [identity, at] of this.#repeatedAt) {
      // The clock may have been set back.
      if (at <= now - pauseBetween || at > now) this.#repeatedAt.delete(identity);
    }
    const isReady = (identity: string) =>
      (readers?.has(identity) ?? true) && !this.#repeatedAt.has(identity);
    const ready = people.filter(isReady);
    const others = people.filter((identity) => !isReady(identity));
    for (const identity of ready) this.#repeatedAt.set(identity, now);
    for (const message of this.#inThisRoom()) {
      if (wereSent(message, readers)) this.#send(message, ready);
    }
    this.#wait(others, retryAfter);
  }

  #send({ packet, to }: SentMessage, people: readonly string[]): void {
    for (const piece of inPieces(people.filter((identity) => to.has(identity)))) {
      this.#options.send(packet, piece).catch(() => {
        for (const identity of piece) this.#repeatedAt.delete(identity);
        if (this.#leftAt === null) this.#wait(piece, retryAfter);
      });
    }
  }
}

/** Whether all who can open what is sent now were sent this message when it was new. */
function wereSent({ to }: SentMessage, readers: ReadonlySet<string> | null): boolean {
  return readers === null || [...readers].every((identity) => to.has(identity));
}

function inPieces(identities: readonly string[]): readonly (readonly string[])[] {
  const count = Math.ceil(identities.length / mostNamed);
  return Array.from({ length: count }, (_, index) =>
    identities.slice(index * mostNamed, (index + 1) * mostNamed),
  );
}
