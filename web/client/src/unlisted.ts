import type { Clock } from "./clock.js";

/** Somebody who has just come in may speak before the list that names them has arrived here. */
const keptFor = 30_000;
/** Beyond this the oldest are forgotten. */
const mostKept = 50;

/**
 * What came from senders who are not in the list of people. It is taken in once they are: the media
 * server also passes on what a device sends that the service does not count as in the meeting.
 */
export class Unlisted {
  readonly #clock: Clock;
  readonly #isListed: (identity: string) => boolean;
  #kept: readonly { sender: string; until: number; take: () => void }[] = [];

  constructor(clock: Clock, isListed: (identity: string) => boolean) {
    this.#clock = clock;
    this.#isListed = isListed;
  }

  /** Takes something in, at once or when its sender is in the list. */
  pass(sender: string, take: () => void): void {
    if (this.#isListed(sender)) take();
    else {
      const until = this.#clock.now() + keptFor;
      this.#kept = [...this.#kept, { sender, until, take }].slice(-mostKept);
    }
  }

  /** Takes in what came from people who are in the list by now. */
  listChanged(): void {
    const fresh = this.#kept.filter(({ until }) => until > this.#clock.now());
    this.#kept = fresh.filter(({ sender }) => !this.#isListed(sender));
    for (const { sender, take } of fresh) if (this.#isListed(sender)) take();
  }
}
