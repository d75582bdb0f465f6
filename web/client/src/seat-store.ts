import type { KeyValueStore } from "./preferences.js";

/** Whether the person's microphone and camera are on. */
export interface SourcesOn {
  readonly microphone: boolean;
  readonly camera: boolean;
}

/**
 * Keeps the ticket of the seat in a room, so that a reload comes back to the same seat. The key is
 * the room's code, so that tabs in different rooms do not mix. With a browser's session storage,
 * two tabs in the same room are two people.
 */
export class SeatStore {
  readonly #store: KeyValueStore;
  readonly #key: string;
  readonly #sourcesKey: string;

  constructor(store: KeyValueStore, code: string) {
    this.#store = store;
    this.#key = `conclave.seat.${code}`;
    this.#sourcesKey = `conclave.sources.${code}`;
  }

  get ticket(): string | null {
    return this.#store.getItem(this.#key);
  }

  /** Remembers the seat. Another seat begins without what was kept for the one before. */
  remember(ticket: string): void {
    if (ticket !== this.ticket) this.#store.removeItem(this.#sourcesKey);
    this.#store.setItem(this.#key, ticket);
  }

  forget(): void {
    this.#store.removeItem(this.#key);
    this.#store.removeItem(this.#sourcesKey);
  }

  /** How microphone and camera were last in the meeting; null before the person was in it. */
  get sources(): SourcesOn | null {
    if (this.ticket === null) return null;
    const kept = this.#store.getItem(this.#sourcesKey)?.split(" ");
    return kept
      ? { microphone: kept.includes("microphone"), camera: kept.includes("camera") }
      : null;
  }

  keepSources(on: SourcesOn): void {
    const names = (["microphone", "camera"] as const).filter((name) => on[name]);
    this.#store.setItem(this.#sourcesKey, names.join(" "));
  }
}
