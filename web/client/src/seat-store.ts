import type { KeyValueStore } from "./preferences.js";

/**
 * Keeps the ticket of the seat in a room, so that a reload comes back to the same seat. The key is
 * the room's code, so that tabs in different rooms do not mix. With a browser's session storage,
 * two tabs in the same room are two people.
 */
export class SeatStore {
  readonly #store: KeyValueStore;
  readonly #key: string;

  constructor(store: KeyValueStore, code: string) {
    this.#store = store;
    this.#key = `conclave.seat.${code}`;
  }

  get ticket(): string | null {
    return this.#store.getItem(this.#key);
  }

  remember(ticket: string): void {
    this.#store.setItem(this.#key, ticket);
  }

  forget(): void {
    this.#store.removeItem(this.#key);
  }
}
