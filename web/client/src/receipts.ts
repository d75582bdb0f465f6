import { randomText } from "./browser-id.js";
import type { KeyValueStore } from "./preferences.js";

const key = (pollId: string) => `conclave.vote.${pollId}`;

interface Kept {
  readonly receipt: string;
  /** Who voted with it, and for what. */
  readonly person: string | null;
  readonly choice: readonly string[];
}

/**
 * The receipts of votes in anonymous polls, and what was picked with them: only this device knows
 * either. A receipt is made before the vote it is sent with, so that a lost answer loses no vote.
 */
export class Receipts {
  readonly #store: KeyValueStore;
  readonly #person: string;
  /** What the store does not keep lasts as long as the page. */
  readonly #here = new Map<string, Kept>();

  constructor(store: KeyValueStore, person: string) {
    this.#store = store;
    this.#person = person;
  }

  receiptFor(pollId: string): string {
    const kept = this.#read(pollId);
    if (kept) return kept.receipt;
    const receipt = randomText();
    this.#write(pollId, { receipt, person: null, choice: [] });
    return receipt;
  }

  /** What this person picked on this device; undefined when nothing is known of it. */
  choiceIn(pollId: string): readonly string[] | undefined {
    const kept = this.#read(pollId);
    return kept?.person === this.#person ? kept.choice : undefined;
  }

  remember(pollId: string, choice: readonly string[]): void {
    this.#write(pollId, { receipt: this.receiptFor(pollId), person: this.#person, choice });
  }

  /** The vote is counted: nothing is to tell any more whose it was, here neither. */
  forget(pollId: string): void {
    this.#here.delete(pollId);
    this.#store.removeItem(key(pollId));
  }

  #read(pollId: string): Kept | undefined {
    const here = this.#here.get(pollId);
    if (here) return here;
    try {
      const kept = JSON.parse(this.#store.getItem(key(pollId)) ?? "null") as Kept | null;
      return typeof kept?.receipt === "string" && Array.isArray(kept.choice) ? kept : undefined;
    } catch {
      return undefined; // not written by us
    }
  }

  #write(pollId: string, kept: Kept): void {
    this.#here.set(pollId, kept);
    this.#store.setItem(key(pollId), JSON.stringify(kept));
  }
}
