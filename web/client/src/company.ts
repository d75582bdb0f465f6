import { type EncryptionState, encryptionState } from "./encryption-state.js";
import { type Observable, Value } from "./observable.js";
import { type MediaPerson, mergeRoster, type Onlooker, type Person } from "./roster.js";
import type { GroupView } from "./strict/group-view.js";
import type { RosterEntry } from "./wire.js";

/** Everybody in the meeting, and whether what they send is encrypted and opened. */
export class Company {
  readonly #people = new Value<readonly Person[]>([]);
  readonly #encryption = new Value<EncryptionState>("starting");
  #entries: readonly RosterEntry[] = [];

  get people(): Observable<readonly Person[]> {
    return this.#people;
  }

  get encryption(): Observable<EncryptionState> {
    return this.#encryption;
  }

  /** Takes the list of people from the event stream. */
  take(entries: readonly RosterEntry[]): void {
    this.#entries = entries;
  }

  isListed(identity: string): boolean {
    return this.#entries.some((entry) => entry.identity === identity);
  }

  nameOf(identity: string): string | null {
    return this.#entries.find((entry) => entry.identity === identity)?.name ?? null;
  }

  refresh(
    media: ReadonlyMap<string, MediaPerson>,
    me: Onlooker,
    keys: { readonly isEncrypted: boolean; readonly group: GroupView | null },
  ): void {
    const people = mergeRoster(this.#entries, media, me, this.#people.get());
    this.#people.set(people);
    this.#encryption.set(encryptionState(keys, people));
  }
}
