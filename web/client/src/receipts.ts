import { randomText } from "./browser-id.js";
import type { Clock } from "./clock.js";
import type { KeyValueStore } from "./preferences.js";
import type { Poll } from "./wire.js";

/** One key for all receipts, so that those of deleted polls can be found. */
const key = "conclave.votes";

/** How many polls the service shows at most (docs/reference/meeting-protocol.md). */
const mostShown = 30;

/**
 * How long a vote is remembered when its poll is not shown any more, in milliseconds: 30 days, so
 * that a poll can stay open between monthly meetings. A vote that is older still counts, but cannot
 * be changed.
 */
const longest = 30 * 24 * 60 * 60 * 1000;

interface Kept {
  readonly receipt: string;
  /** Who voted with the receipt, and for what. */
  readonly person: string | null;
  readonly choice: readonly string[];
  /** The id of the poll's room; null if it was not known yet. */
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
 * The receipts of votes in anonymous polls, and the answers picked with them. Only this device
 * knows them. A receipt is stored before its vote is sent, so that a lost response loses no vote.
 */
export class Receipts {
  readonly #options: ReceiptsOptions;
  /** A copy for the life of the page, in case the store keeps nothing. */
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

  /** What this person picked on this device; undefined when that is not known. */
  choiceIn(pollId: string): readonly string[] | undefined {
    const kept = this.#all().get(pollId);
    return kept?.person === this.#options.person ? kept.choice : undefined;
  }

  remember(pollId: string, choice: readonly string[]): void {
    const receipt = this.receiptFor(pollId);
    this.#keep(pollId, { receipt, person: this.#options.person, choice });
  }

  /** Forgets a vote, so that nothing on this device shows whose it was. */
  forget(pollId: string): void {
    this.#write(new Map([...this.#all()].filter(([id]) => id !== pollId)));
  }

  /**
   * Forgets votes that cannot be changed any more: in polls that are closed now, in deleted polls
   * of this room, and in polls that were not shown for too long.
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
      return this.#here; // another program wrote this key
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
