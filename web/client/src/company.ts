import { type EncryptionState, encryptionState } from "./encryption-state.js";
import { type Observable, Value } from "./observable.js";
import { PeopleList } from "./people-list.js";
import { type MediaPerson, mergeRoster, type Onlooker, type Person } from "./roster.js";
import type { GroupView } from "./strict/group-view.js";
import type { ServiceEvent } from "./wire.js";

type PeopleEvent = Extract<ServiceEvent, { type: "people" | "people_changed" }>;

/** Everybody in the meeting, and whether what they send is encrypted and opened. */
export class Company {
  readonly #people = new Value<readonly Person[]>([]);
  readonly #encryption = new Value<EncryptionState>("starting");
  readonly #list = new PeopleList();

  get people(): Observable<readonly Person[]> {
    return this.#people;
  }

  get encryption(): Observable<EncryptionState> {
    return this.#encryption;
  }

  /** Takes the list of people from the event stream; false for changes of another list. */
  take(event: PeopleEvent): boolean {
    if (event.type === "people_changed") return this.#list.change(event.data);
    this.#list.replace(event.data);
    return true;
  }

  isListed(identity: string): boolean {
    return this.#list.get(identity) !== undefined;
  }

  /** The identities of the people who belong in this room now. */
  listedIn(place: string | null): readonly string[] {
    const inside = this.#list.entries.filter(({ breakout_id }) => (breakout_id ?? null) === place);
    return inside.map(({ identity }) => identity);
  }

  nameOf(identity: string): string | null {
    return this.#list.get(identity)?.name ?? null;
  }

  refresh(
    media: ReadonlyMap<string, MediaPerson>,
    me: Onlooker,
    keys: { readonly isEncrypted: boolean; readonly group: GroupView | null },
  ): void {
    const people = mergeRoster(this.#list.entries, media, me, this.#people.get());
    this.#people.set(people);
    this.#encryption.set(encryptionState(keys, people));
  }
}
