import type { Clock } from "./clock.js";

/** How long messages are kept, in milliseconds: a new person may write before the list has them. */
const keptFor = 30_000;
/** How many messages are kept. Older ones are dropped. */
const mostKept = 50;

/**
 * Messages from senders who are not in the list of people yet. They are kept until the sender is in
 * it, because the media server also passes on messages of devices that are not in the meeting.
 */
export class PendingMessages {
  readonly #clock: Clock;
  readonly #isListed: (identity: string) => boolean;
  #kept: readonly { sender: string; until: number; take: () => void }[] = [];

  constructor(clock: Clock, isListed: (identity: string) => boolean) {
    this.#clock = clock;
    this.#isListed = isListed;
  }

  /** Calls `take` at once, or when the sender is in the list. */
  deliver(sender: string, take: () => void): void {
    if (this.#isListed(sender)) take();
    else {
      const until = this.#clock.now() + keptFor;
      this.#kept = [...this.#kept, { sender, until, take }].slice(-mostKept);
    }
  }

  /** Takes the messages of people who are in the list now. */
  listChanged(): void {
    const fresh = this.#kept.filter(({ until }) => until > this.#clock.now());
    this.#kept = fresh.filter(({ sender }) => !this.#isListed(sender));
    for (const { sender, take } of fresh) if (this.#isListed(sender)) take();
  }
}
