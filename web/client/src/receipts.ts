import { randomText } from "./browser-id.js";
import type { Clock } from "./clock.js";
import type { KeyValueStore } from "./preferences.js";
import type { Poll } from "./wire.js";

/** One place for all of them, so that those of polls that are gone are found. */
const key = "conclave.votes";

/** How many polls the service shows at most (docs/reference/meeting-protocol.md). */
const mostShown = 30;

/**
 * How long a vote is remembered whose poll is not heard of any more, in milliseconds: 30 days. A
 * poll that is asked again and again in a monthly meeting lives as long; later than that a vote can
 * still be counted, but not be changed.
 */
const longest = 30 * 24 * 60 * 60 * 1000;

interface Kept {
  readonly receipt: string;
  /** Who voted with it, and for what. */
  readonly person: string | null;
  readonly choice: readonly string[];
  /** The id of the poll's room; null where it was not known yet. */
  readonly room: string | null;
  /** When the vote was cast, by this device's clock. */
  readonly at: number;
}

export interface ReceiptsOptions {
  readonly store: KeyValueStore;
  readonly clock: Clock;
  readonly person: string;
  readonly room: () => string | null;
}

/**
 * The receipts of votes in anonymous polls, and what was picked with them: only this device knows
 * either. A receipt is made before the vote it is sent with, so that a lost answer loses no vote.
 */
export class Receipts {
  readonly #options: ReceiptsOptions;
  /** What the store does not keep lasts as long as the page. */
  #here: ReadonlyMap<string, Kept> = new Map();

  constructor(options: ReceiptsOptions) {
    this.#options = options;
  }

  receiptFor(pollId: string): string {
    const kept = this.#all().get(pollId);
    if (kept) return kept.receipt;
    const receipt = randomText();
    this.#keep(pollId, { receipt, person: null, choice: [] });
    return receipt;
  }

  /** What this person picked on this device; undefined when nothing is known of it. */
  choiceIn(pollId: string): readonly string[] | undefined {
    const kept = this.#all().get(pollId);
    return kept?.person === this.#options.person ? kept.choice : undefined;
  }

  remember(pollId: string, choice: readonly string[]): void {
    const receipt = this.receiptFor(pollId);
    this.#keep(pollId, { receipt, person: this.#options.person, choice });
  }

  /** Nothing is to tell any more whose vote it was, here neither. */
  forget(pollId: string): void {
    this.#write(new Map([...this.#all()].filter(([id]) => id !== pollId)));
  }

  /**
   * Forgets what nobody needs any more: votes in polls that are closed now, in polls of this room
   * that are gone, and those of which nothing was heard for too long.
   */
  tidy(shown: readonly Poll[]): void {
    const polls = new Map(shown.map((poll) => [poll.id, poll]));
    const room = this.#options.room();
    const now = this.#options.clock.now();
    const isNeeded = (id: string, kept: Kept) => {
      const poll = polls.get(id);
      if (poll) return canChange(poll);
      const isGone = kept.room !== null && kept.room === room && shown.length < mostShown;
      return !isGone && now - kept.at < longest;
    };
    const before = this.#all();
    const after = new Map([...before].filter(([id, kept]) => isNeeded(id, kept)));
    if (after.size < before.size) this.#write(after);
  }

  #keep(pollId: string, vote: Pick<Kept, "receipt" | "person" | "choice">): void {
    const { clock, room } = this.#options;
    this.#write(new Map(this.#all()).set(pollId, { ...vote, room: room(), at: clock.now() }));
  }

  /** Read each time: another tab may have changed it. */
  #all(): ReadonlyMap<string, Kept> {
    const text = this.#options.store.getItem(key);
    if (text === null) return this.#here;
    try {
      const votes = Object.entries(JSON.parse(text) as Record<string, Kept>);
      return new Map(votes.filter(([, { receipt }]) => typeof receipt === "string"));
    } catch {
      return this.#here; // not written by us
    }
  }

  #write(votes: ReadonlyMap<string, Kept>): void {
    const { store } = this.#options;
    if (votes.size > 0) store.setItem(key, JSON.stringify(Object.fromEntries(votes)));
    else store.removeItem(key);
    this.#here = store.getItem(key) === null ? votes : new Map();
  }
}

/** Whether a vote in the poll can still be changed. */
export function canChange(poll: Poll): boolean {
  return poll.status === "open" && !poll.final;
}
