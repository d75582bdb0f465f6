import type { ChatPacket } from "./messages.js";

/**
 * For how long a message is kept, in milliseconds: longer than anybody is listed as being in the
 * meeting without a connection.
 */
const keptFor = 60_000;
/** How many are kept: half of what a receiver takes from one person at a time (rate-limiter.ts). */
const mostKept = 10;
/** How many people one packet names at most, so that it stays small. */
const mostNamed = 100;

interface SentMessage {
  readonly packet: ChatPacket;
  /** A breakout room's id; null: the main room. */
  readonly place: string | null;
  /** Who was listed as being in the room at that time, whether connected or not. */
  readonly to: ReadonlySet<string>;
  readonly until: number;
}

/** A message once more, for some of those it was meant for. */
export interface Repetition {
  readonly packet: ChatPacket;
  readonly to: readonly string[];
}

/**
 * The messages that this device has sent in the last minute. The media server passes a message on
 * only to those who are connected at that moment, and keeps nothing. So whoever has been away gets
 * these messages again, and drops those that it has by their ids. People who came later do not.
 */
export class SentMessages {
  #kept: readonly SentMessage[] = [];

  add(packet: ChatPacket, place: string | null, to: readonly string[], now: number): void {
    const message = { packet, place, to: new Set(to), until: now + keptFor };
    this.#kept = [...this.#kept, message].slice(-mostKept);
  }

  /** What those people in a room may have missed, oldest first; null: everybody. */
  missed(
    place: string | null,
    people: ReadonlySet<string> | null,
    now: number,
  ): readonly Repetition[] {
    this.#kept = this.#kept.filter(({ until }) => until > now);
    return this.#kept
      .filter((message) => message.place === place)
      .flatMap(({ packet, to }) => {
        const missing = [...to].filter((identity) => people === null || people.has(identity));
        return inPieces(missing).map((piece) => ({ packet, to: piece }));
      });
  }
}

function inPieces(identities: readonly string[]): readonly (readonly string[])[] {
  const count = Math.ceil(identities.length / mostNamed);
  return Array.from({ length: count }, (_, index) =>
    identities.slice(index * mostNamed, (index + 1) * mostNamed),
  );
}
