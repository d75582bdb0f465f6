/**
 * What a person has compared with the others in a strict meeting. Only this device knows it, and
 * only until the call is over.
 */
import { type Observable, Value } from "../observable.js";
import type { Phase } from "../phase.js";
import type { GroupMember, GroupState } from "./group-state.js";

/** How far the person has compared the code of the group. */
export interface Compared {
  /**
   * `no`: not in this call. `all`: every other device in the group took part in the comparison or
   * was verified by itself. `some`: one of them did neither.
   */
  readonly extent: "no" | "some" | "all";
  /**
   * Devices that joined after the comparison, until the person compares again, verifies them or
   * dismisses them. They stay here when they leave, because they could listen.
   */
  readonly added: readonly GroupMember[];
  /** The keys of the devices that the person marked as verified; see fingerprintKey. */
  readonly verified: ReadonlySet<string>;
}

/** The part of a meeting's group that people compare. */
export interface ComparableGroup {
  /** Null while this device is in no group. */
  readonly epoch: Pick<GroupState, "members" | "code"> | null;
}

/** A fingerprint as one text, by which devices are told apart. */
export function fingerprintKey({ fingerprint }: Pick<GroupMember, "fingerprint">): string {
  return fingerprint.join(" ");
}

/** A code as one text. */
function codeKey({ digits }: Pick<GroupState["code"], "digits">): string {
  return digits.join(" ");
}

/**
 * Follows a meeting's group and remembers what the person compared. A device has the same
 * fingerprint in the main room and in each breakout room, so that what was compared in one counts in
 * all.
 */
export class Comparing {
  readonly #group: Observable<ComparableGroup | null>;
  readonly #me: string;
  readonly #state = new Value<Compared>({ extent: "no", added: [], verified: new Set() });
  readonly #stop: readonly (() => void)[];
  /** The devices that were there when the person compared; null before that. */
  #compared: Set<string> | null = null;
  /** The devices that joined afterwards, and that the person has not compared since. */
  readonly #added = new Map<string, GroupMember>();
  readonly #dismissed = new Set<string>();
  readonly #verified = new Set<string>();

  /**
   * `me` is the identity of this device, which the person need not verify. With the meeting's
   * `phase`, it stops by itself when the meeting is over for this device.
   */
  constructor(
    group: Observable<ComparableGroup | null>,
    me: string,
    phase: Observable<Phase> | null = null,
  ) {
    this.#group = group;
    this.#me = me;
    const end = phase?.subscribe(() => {
      if (phase.get().kind === "ended") this.close();
    });
    this.#stop = [group.subscribe(() => this.#look()), ...(end ? [end] : [])];
  }

  get state(): Observable<Compared> {
    return this.#state;
  }

  /**
   * The person has compared this code with everybody who was in the group when they saw it. It
   * counts only while the group still has it: a device that joined since is not part of it.
   */
  compared(seen: GroupState["code"]): void {
    const epoch = this.#group.get()?.epoch;
    if (!epoch || codeKey(epoch.code) !== codeKey(seen)) return;
    const { members } = epoch;
    this.#compared ??= new Set();
    for (const member of members) this.#compared.add(fingerprintKey(member));
    this.#added.clear();
    this.#look();
  }

  /** The person has seen that devices were added, and does not compare now. */
  dismiss(): void {
    for (const key of this.#added.keys()) this.#dismissed.add(key);
    this.#look();
  }

  /** The person has compared the fingerprint of one device, or takes that back. */
  verify(member: Pick<GroupMember, "fingerprint">, isVerified: boolean): void {
    const key = fingerprintKey(member);
    if (isVerified) this.#verified.add(key);
    else this.#verified.delete(key);
    this.#look();
  }

  /** Stops following the group. */
  close(): void {
    for (const stop of this.#stop) stop();
  }

  #members(): readonly GroupMember[] {
    return this.#group.get()?.epoch?.members ?? [];
  }

  #look(): void {
    const compared = this.#compared;
    const others = this.#members().filter(({ identity }) => identity !== this.#me);
    const isKnown = (key: string) => compared?.has(key) || this.#verified.has(key);
    if (compared) {
      for (const member of others) {
        const key = fingerprintKey(member);
        if (!compared.has(key)) this.#added.set(key, member);
      }
    }
    const isAll = others.every((member) => isKnown(fingerprintKey(member)));
    const news = [...this.#added].filter(([key]) => !isKnown(key) && !this.#dismissed.has(key));
    this.#state.set({
      extent: compared === null ? "no" : isAll ? "all" : "some",
      added: news.map(([, member]) => member),
      verified: new Set(this.#verified),
    });
  }
}
