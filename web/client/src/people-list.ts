import type { RosterChange, RosterEntry } from "./wire.js";

/** The service's list of the people in the meeting, kept by what it says has changed. */
export class PeopleList {
  #entries: readonly RosterEntry[] = [];
  #byIdentity: ReadonlyMap<string, RosterEntry> = new Map();
  /** Which of the service's lists this is; null for a list without a name. */
  #revision: string | null = null;

  /** Oldest first. */
  get entries(): readonly RosterEntry[] {
    return this.#entries;
  }

  get(identity: string): RosterEntry | undefined {
    return this.#byIdentity.get(identity);
  }

  /** Takes the whole list. */
  replace(entries: readonly RosterEntry[], revision: string | null = null): void {
    this.#entries = entries;
    this.#byIdentity = new Map(entries.map((entry) => [entry.identity, entry]));
    this.#revision = revision;
  }

  /** False when the change is one of another list; then this list stays as it is. */
  change({ since, revision, changed, removed }: RosterChange): boolean {
    if (since === null) {
      this.replace(changed, revision);
      return true;
    }
    if (since !== this.#revision) return false;
    const people = new Map(this.#byIdentity);
    for (const identity of removed) people.delete(identity);
    for (const entry of changed) people.set(entry.identity, entry);
    this.replace([...people.values()].sort(byArrival), revision);
    return true;
  }
}

/** Times are texts of one length, and identities are ASCII: both compare as texts. */
function byArrival(a: RosterEntry, b: RosterEntry): number {
  if (a.joined_at !== b.joined_at) return a.joined_at < b.joined_at ? -1 : 1;
  return a.identity < b.identity ? -1 : 1;
}
